# Draws percentiles-randread-4k in each of these formats: run gnuplot on this file in its own directory.
if (!exists('formats')) formats = 'png svg'
if (!exists('picture')) picture = 1
format = word(formats, picture)
set encoding utf8
if (format eq 'png') set terminal pngcairo noenhanced size 1100,566 font 'sans,11' background '#ffffff'
if (format eq 'svg') set terminal svg noenhanced size 1100,566 font 'sans-serif,11' fontscale 1.3 background '#ffffff'
if (format eq 'pdf') set terminal pdfcairo noenhanced size 11.00,5.66 font 'sans,11' fontscale 1 linewidth 1.5 background '#ffffff'
set output 'percentiles-randread-4k.'.format
data = 'percentiles-randread-4k.dat'
k = format eq 'svg' ? 0.8 : 1 # points of SVG are larger
set border 3 lc rgb '#606060'
set grid x y lc rgb '#d8d8d8' lt 1 lw 0.7
set tics nomirror out scale 0.6 textcolor rgb '#202020'
set errorbars small
unset key
set multiplot
set label 'randread 4k: percentiles of latency against iodepth' at screen 0.054545,0.948763 left font ',15' noenhanced
set label 'run 1: ult-lun-sizing on ULT array' at screen 0.054545,0.901060 left font ',11' textcolor rgb '#505050' noenhanced
set lmargin at screen 0.069636
set rmargin at screen 0.735455
set bmargin at screen 0.111307
set tmargin at screen 0.853357
set logscale x 2
set xrange [0.9201876506:17.3877578]
set xtics norotate autojustify ('1' 1, '2' 2, '4' 4, '8' 8, '16' 16)
set logscale y 10
set yrange [0.5:50]
set ytics norotate autojustify ('0.5' 0.5, '1' 1, '2' 2, '5' 5, '10' 10, '20' 20, '50' 50)
set label 'iodepth (I/Os in flight, total over all workers)' at screen 0.402545,0.040636 center noenhanced
set label 'latency (ms, log scale)' at screen 0.022727,0.482332 center rotate noenhanced
set arrow from screen 0.069636,0.558066 to screen 0.735455,0.558066 nohead back lc rgb '#404040' dt 3 lw 1.4
set label 'p99 <= 8 ms' at screen 0.075091,0.573083 left front font ',9' textcolor rgb '#404040' noenhanced
set arrow from screen 0.402545,0.853357 to screen 0.402545,0.111307 nohead back lc rgb '#404040' dt 3 lw 1.4
set label 'knee' at screen 0.406182,0.834806 left front font ',9' textcolor rgb '#404040' noenhanced
plot data index 0 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 notitle, \
     data index 1 using 1:2 with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 notitle, \
     data index 2 using 1:2:5:6 with yerrorbars pt -1 lc rgb '#009E73' lw 1 notitle, \
     data index 2 using 1:2 with linespoints lc rgb '#009E73' pt 9 ps 1.1*k dt 4 lw 1.8 notitle, \
     data index 3 using 1:2 with linespoints lc rgb '#000000' pt 11 ps 1.1*k dt 3 lw 1.8 notitle, \
     data index 4 using 1:2 with linespoints lc rgb '#CC79A7' pt 13 ps 1.1*k dt 5 lw 1.8 notitle, \
     data index 5 using 1:2 with linespoints lc rgb '#56B4E9' pt 15 ps 1.1*k dt 1 lw 1.8 notitle, \
     data index 0 using 1:4 with points notitle lc rgb '#000000' pt 2 ps 1.7*k lw 1.3, \
     data index 1 using 1:4 with points notitle lc rgb '#000000' pt 2 ps 1.7*k lw 1.3, \
     data index 2 using 1:4 with points notitle lc rgb '#000000' pt 2 ps 1.7*k lw 1.3, \
     data index 3 using 1:4 with points notitle lc rgb '#000000' pt 2 ps 1.7*k lw 1.3, \
     data index 4 using 1:4 with points notitle lc rgb '#000000' pt 2 ps 1.7*k lw 1.3, \
     data index 5 using 1:4 with points notitle lc rgb '#000000' pt 2 ps 1.7*k lw 1.3
unset label
unset arrow
unset object
set lmargin at screen 0
set rmargin at screen 1
set bmargin at screen 0
set tmargin at screen 1
unset border
unset tics
unset grid
set key at screen 0.750000,0.853357 left top vertical Left reverse noenhanced samplen 2.5 spacing 1.35 maxcols 1
plot NaN notitle, \
     keyentry with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 title 'max', \
     keyentry with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 title 'p99.9', \
     keyentry with linespoints lc rgb '#009E73' pt 9 ps 1.1*k dt 4 lw 1.8 title 'p99', \
     keyentry with linespoints lc rgb '#000000' pt 11 ps 1.1*k dt 3 lw 1.8 title 'p95', \
     keyentry with linespoints lc rgb '#CC79A7' pt 13 ps 1.1*k dt 5 lw 1.8 title 'p90', \
     keyentry with linespoints lc rgb '#56B4E9' pt 15 ps 1.1*k dt 1 lw 1.8 title 'p50', \
     keyentry with points lc rgb '#000000' pt 2 ps 1.7*k lw 1.3 title 'limited by host or client'
unset multiplot
set output
reset
picture = picture + 1
if (picture <= words(formats)) load 'percentiles-randread-4k.gp'
undefine picture
