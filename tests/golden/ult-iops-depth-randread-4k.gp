# Draws iops-depth-randread-4k in each of these formats: run gnuplot on this file in its own directory.
if (!exists('formats')) formats = 'png svg'
if (!exists('picture')) picture = 1
format = word(formats, picture)
set encoding utf8
if (format eq 'png') set terminal pngcairo noenhanced size 1100,798 font 'sans,11' background '#ffffff'
if (format eq 'svg') set terminal svg noenhanced size 1100,798 font 'sans-serif,11' fontscale 1.3 background '#ffffff'
if (format eq 'pdf') set terminal pdfcairo noenhanced size 11.00,7.98 font 'sans,11' fontscale 0.72 linewidth 1.5 background '#ffffff'
set output 'iops-depth-randread-4k.'.format
data = 'iops-depth-randread-4k.dat'
k = format eq 'svg' ? 0.8 : 1 # points of SVG are larger
set border 3 lc rgb '#606060'
set grid x y lc rgb '#d8d8d8' lt 1 lw 0.7
set tics nomirror out scale 0.6 textcolor rgb '#202020'
set errorbars small
unset key
set multiplot
set label 'randread 4k: IOPS and response time against iodepth' at screen 0.054545,0.963659 left font ',15' noenhanced
set label 'run 1: ult-lun-sizing on ULT array' at screen 0.054545,0.929825 left font ',11' textcolor rgb '#505050' noenhanced
set lmargin at screen 0.080727
set rmargin at screen 0.750364
set bmargin at screen 0.505013
set tmargin at screen 0.895990
set logscale x 2
set xrange [0.8467453124:302.3341213]
set xtics norotate autojustify ('' 1, '' 2, '' 4, '' 8, '' 16, '' 32, '' 64, '' 128, '' 256)
unset logscale y
set yrange [0:5500]
set ytics norotate autojustify ('0' 0, '1000' 1000, '2000' 2000, '3000' 3000, '4000' 4000, '5000' 5000)
set label 'IOPS' at screen 0.022727,0.700501 center rotate noenhanced
plot data index 0 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 notitle, \
     data index 1 using 1:2 with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 notitle, \
     data index 2 using 1:2 with linespoints lc rgb '#009E73' pt 9 ps 1.1*k dt 4 lw 1.8 notitle, \
     data index 3 using 1:2 with linespoints lc rgb '#000000' pt 11 ps 1.1*k dt 3 lw 1.8 notitle, \
     data index 4 using 1:2 with points lc rgb '#000000' pt 6 ps 2.2*k lw 1.4 notitle, \
     data index 5 using 1:2 with points lc rgb '#000000' pt 4 ps 2.8*k lw 1.4 notitle
unset label
unset arrow
unset object
set lmargin at screen 0.080727
set rmargin at screen 0.750364
set bmargin at screen 0.083960
set tmargin at screen 0.474937
set logscale x 2
set xrange [0.8467453124:302.3341213]
set xtics norotate autojustify ('1' 1, '2' 2, '4' 4, '8' 8, '16' 16, '32' 32, '64' 64, '128' 128, '256' 256)
set logscale y 10
set yrange [2:100]
set ytics norotate autojustify ('2' 2, '5' 5, '10' 10, '20' 20, '50' 50, '100' 100)
set label 'iodepth (I/Os in flight, total over all workers)' at screen 0.415545,0.033835 center noenhanced
set label 'mean response time (ms, log scale)' at screen 0.022727,0.279449 center rotate noenhanced
set arrow from screen 0.080727,0.244811 to screen 0.750364,0.244811 nohead back lc rgb '#404040' dt 3 lw 1.4
set label 'mean <= 10 ms' at screen 0.086182,0.255463 left front font ',9' textcolor rgb '#404040' noenhanced
plot data index 6 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 notitle, \
     data index 7 using 1:2 with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 notitle, \
     data index 8 using 1:2 with linespoints lc rgb '#009E73' pt 9 ps 1.1*k dt 4 lw 1.8 notitle, \
     data index 9 using 1:2 with linespoints lc rgb '#000000' pt 11 ps 1.1*k dt 3 lw 1.8 notitle
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
set key at screen 0.764909,0.895990 left top vertical Left reverse noenhanced samplen 2.5 spacing 1.35 maxcols 1
plot NaN notitle, \
     keyentry with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 title 'span 500G', \
     keyentry with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 title 'span 1000G', \
     keyentry with linespoints lc rgb '#009E73' pt 9 ps 1.1*k dt 4 lw 1.8 title 'span 2000G', \
     keyentry with linespoints lc rgb '#000000' pt 11 ps 1.1*k dt 3 lw 1.8 title 'span 4000G', \
     keyentry with points lc rgb '#000000' pt 6 ps 2.2*k lw 1.4 title 'saturates here (knee)', \
     keyentry with points lc rgb '#000000' pt 4 ps 2.8*k lw 1.4 title 'max IOPS, mean <= 10 ms'
unset multiplot
set output
reset
picture = picture + 1
if (picture <= words(formats)) load 'iops-depth-randread-4k.gp'
undefine picture
