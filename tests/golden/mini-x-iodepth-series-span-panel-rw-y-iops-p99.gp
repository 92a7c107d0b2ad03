# Draws x-iodepth-series-span-panel-rw-y-iops-p99 in each of these formats: run gnuplot on this file in its own directory.
if (!exists('formats')) formats = 'png svg'
if (!exists('picture')) picture = 1
format = word(formats, picture)
set encoding utf8
if (format eq 'png') set terminal pngcairo noenhanced size 1100,815 font 'sans,11' background '#ffffff'
if (format eq 'svg') set terminal svg noenhanced size 1100,815 font 'sans-serif,11' fontscale 1.3 background '#ffffff'
if (format eq 'pdf') set terminal pdfcairo noenhanced size 11.00,8.15 font 'sans,11' fontscale 0.72 linewidth 1.5 background '#ffffff'
set output 'x-iodepth-series-span-panel-rw-y-iops-p99.'.format
data = 'x-iodepth-series-span-panel-rw-y-iops-p99.dat'
k = format eq 'svg' ? 0.8 : 1 # points of SVG are larger
set border 3 lc rgb '#606060'
set grid x y lc rgb '#d8d8d8' lt 1 lw 0.7
set tics nomirror out scale 0.6 textcolor rgb '#202020'
set errorbars small
unset key
set multiplot
set label '4k: IOPS and latency p99 against iodepth by span' at screen 0.054545,0.964417 left font ',15' noenhanced
set label 'run 1: ult-lun-sizing on x''"; system("touch pwned") `touch pwned` {_a}' at screen 0.054545,0.931288 left font ',11' textcolor rgb '#505050' noenhanced
set lmargin at screen 0.080727
set rmargin at screen 0.388000
set bmargin at screen 0.494479
set tmargin at screen 0.877301
set logscale x 2
set xrange [0.9395227492:8.51496146]
set xtics norotate autojustify ('' 1, '' 2, '' 4, '' 8)
unset logscale y
set yrange [0:3500]
set ytics norotate autojustify ('0' 0, '500' 500, '1000' 1000, '1500' 1500, '2000' 2000, '2500' 2500, '3000' 3000, '3500' 3500)
set label 'IOPS' at screen 0.022727,0.685890 center rotate noenhanced
set label 'randread' at screen 0.080727,0.892025 left font ',12' noenhanced
plot data index 0 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 notitle, \
     data index 1 using 1:2 with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 notitle, \
     data index 1 using 1:3 with points notitle lc rgb '#D55E00' pt 4 ps 1.3*k lw 1.3, \
     data index 0 using 1:4 with points notitle lc rgb '#000000' pt 2 ps 1.7*k lw 1.3
unset label
unset arrow
unset object
set lmargin at screen 0.420727
set rmargin at screen 0.728000
set bmargin at screen 0.494479
set tmargin at screen 0.877301
set logscale x 2
set xrange [0.9395227492:8.51496146]
set xtics norotate autojustify ('' 1, '' 2, '' 4, '' 8)
unset logscale y
set yrange [0:3500]
set ytics norotate autojustify ('' 0, '' 500, '' 1000, '' 1500, '' 2000, '' 2500, '' 3000, '' 3500)
set label 'randrw' at screen 0.420727,0.892025 left font ',12' noenhanced
plot data index 2 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 notitle
unset label
unset arrow
unset object
set lmargin at screen 0.080727
set rmargin at screen 0.388000
set bmargin at screen 0.082209
set tmargin at screen 0.465031
set logscale x 2
set xrange [0.9395227492:8.51496146]
set xtics norotate autojustify ('1' 1, '2' 2, '4' 4, '8' 8)
set logscale y 10
set yrange [1:5000]
set ytics norotate autojustify ('1' 1, '10' 10, '100' 100, '1000' 1000)
set label 'iodepth (I/Os in flight over all workers, log scale)' at screen 0.404364,0.033129 center noenhanced
set label 'latency p99 (ms, log scale)' at screen 0.022727,0.273620 center rotate noenhanced
set arrow from screen 0.080727,0.144518 to screen 0.388000,0.144518 nohead back lc rgb '#404040' dt 3 lw 1.4
set label 'p99 <= 4 ms' at screen 0.200182,0.132862 left front font ',9' textcolor rgb '#404040' noenhanced
plot data index 3 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 notitle, \
     data index 4 using 1:2 with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 notitle, \
     data index 3 using 1:4 with points notitle lc rgb '#000000' pt 2 ps 1.7*k lw 1.3
unset label
unset arrow
unset object
set lmargin at screen 0.420727
set rmargin at screen 0.728000
set bmargin at screen 0.082209
set tmargin at screen 0.465031
set logscale x 2
set xrange [0.9395227492:8.51496146]
set xtics norotate autojustify ('1' 1, '2' 2, '4' 4, '8' 8)
set logscale y 10
set yrange [1:5000]
set ytics norotate autojustify ('' 1, '' 10, '' 100, '' 1000)
set arrow from screen 0.420727,0.144518 to screen 0.728000,0.144518 nohead back lc rgb '#404040' dt 3 lw 1.4
set label 'p99 <= 4 ms' at screen 0.654182,0.154948 left front font ',9' textcolor rgb '#404040' noenhanced
plot data index 5 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 notitle
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
set key at screen 0.742545,0.877301 left top vertical Left reverse noenhanced samplen 2.5 spacing 1.35 maxcols 1
plot NaN notitle, \
     keyentry with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 title 'span 1G', \
     keyentry with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 title 'span 2G', \
     keyentry with points lc rgb '#404040' pt 6 ps 1.3*k lw 1.3 title 'hollow: spoiled, no answer', \
     keyentry with points lc rgb '#000000' pt 2 ps 1.7*k lw 1.3 title 'limited by host or client'
unset multiplot
set output
reset
picture = picture + 1
if (picture <= words(formats)) load 'x-iodepth-series-span-panel-rw-y-iops-p99.gp'
undefine picture
