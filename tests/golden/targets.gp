# Draws targets in each of these formats: run gnuplot on this file in its own directory.
if (!exists('formats')) formats = 'png svg'
if (!exists('picture')) picture = 1
format = word(formats, picture)
set encoding utf8
if (format eq 'png') set terminal pngcairo noenhanced size 1100,798 font 'sans,11' background '#ffffff'
if (format eq 'svg') set terminal svg noenhanced size 1100,798 font 'sans-serif,11' fontscale 1.3 background '#ffffff'
if (format eq 'pdf') set terminal pdfcairo noenhanced size 11.00,7.98 font 'sans,11' fontscale 1 linewidth 1.5 background '#ffffff'
set output 'targets.'.format
data = 'targets.dat'
k = format eq 'svg' ? 0.8 : 1 # points of SVG are larger
set border 3 lc rgb '#606060'
set grid x y lc rgb '#d8d8d8' lt 1 lw 0.7
set tics nomirror out scale 0.6 textcolor rgb '#202020'
set errorbars small
unset key
set multiplot
set label 'IOPS and mean latency of 3 runs' at screen 0.054545,0.963659 left font ',15' noenhanced
set label '4k span 1G iodepth 8' at screen 0.054545,0.929825 left font ',11' textcolor rgb '#505050' noenhanced
set lmargin at screen 0.080727
set rmargin at screen 0.728000
set bmargin at screen 0.505013
set tmargin at screen 0.895990
unset logscale x
set xrange [-0.5:2.5]
set xtics norotate autojustify ('' 0, '' 1, '' 2)
unset logscale y
set yrange [0:3500]
set ytics norotate autojustify ('0' 0, '500' 500, '1000' 1000, '1500' 1500, '2000' 2000, '2500' 2500, '3000' 3000, '3500' 3500)
set label 'IOPS' at screen 0.022727,0.700501 center rotate noenhanced
set label '1000' at screen 0.096707,0.626119 left front font ',9' textcolor rgb '#404040' noenhanced
set label '500' at screen 0.319010,0.570265 left front font ',9' textcolor rgb '#404040' noenhanced
set label '900' at screen 0.534768,0.614948 left front font ',9' textcolor rgb '#404040' noenhanced
set label '2000' at screen 0.154242,0.737827 left front font ',9' textcolor rgb '#404040' noenhanced
set label '500' at screen 0.376545,0.570265 left front font ',9' textcolor rgb '#404040' noenhanced
set label '900' at screen 0.592303,0.614948 left front font ',9' textcolor rgb '#404040' noenhanced
set label '3000' at screen 0.211778,0.849535 left front font ',9' textcolor rgb '#404040' noenhanced
plot data index 0 using 1:2:(0.250667) with boxes lc rgb '#0072B2' fs solid 0.85 noborder notitle, \
     data index 1 using 1:2:(0.250667) with boxes lc rgb '#D55E00' fs solid 0.85 noborder notitle, \
     data index 2 using 1:2:(0.250667) with boxes lc rgb '#009E73' fs solid 0.85 noborder notitle, \
     data index 1 using 1:3 with points notitle lc rgb '#D55E00' pt 4 ps 1.3*k lw 1.3
unset label
unset arrow
unset object
set lmargin at screen 0.080727
set rmargin at screen 0.728000
set bmargin at screen 0.083960
set tmargin at screen 0.474937
unset logscale x
set xrange [-0.5:2.5]
set xtics norotate autojustify ('randread' 0, 'randwrite' 1, 'randrw 70r' 2)
set logscale y 10
set yrange [2:20]
set ytics norotate autojustify ('2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7, '8' 8, '10' 10, '15' 15, '20' 20)
set label 'point' at screen 0.404364,0.033835 center noenhanced
set label 'mean latency (ms, log scale)' at screen 0.022727,0.279449 center rotate noenhanced
set label '8.00' at screen 0.096707,0.328750 left front font ',9' textcolor rgb '#404040' noenhanced
set label '16.0' at screen 0.312465,0.446446 left front font ',9' textcolor rgb '#404040' noenhanced
set label '9.00' at screen 0.528222,0.348750 left front font ',9' textcolor rgb '#404040' noenhanced
set label '4.00' at screen 0.154242,0.211054 left front font ',9' textcolor rgb '#404040' noenhanced
set label '16.0' at screen 0.370000,0.446446 left front font ',9' textcolor rgb '#404040' noenhanced
set label '9.00' at screen 0.585758,0.348750 left front font ',9' textcolor rgb '#404040' noenhanced
set label '2.67' at screen 0.211778,0.142207 left front font ',9' textcolor rgb '#404040' noenhanced
plot data index 3 using 1:2:(0.250667) with boxes lc rgb '#0072B2' fs solid 0.85 noborder notitle, \
     data index 4 using 1:2:(0.250667) with boxes lc rgb '#D55E00' fs solid 0.85 noborder notitle, \
     data index 5 using 1:2:(0.250667) with boxes lc rgb '#009E73' fs solid 0.85 noborder notitle, \
     data index 4 using 1:3 with points notitle lc rgb '#D55E00' pt 4 ps 1.3*k lw 1.3
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
set key at screen 0.742545,0.895990 left top vertical Left reverse noenhanced samplen 2.5 spacing 1.35 maxcols 1
plot NaN notitle, \
     keyentry with boxes lc rgb '#0072B2' fs solid 0.85 noborder title 'array 1', \
     keyentry with boxes lc rgb '#D55E00' fs solid 0.85 noborder title 'array 2', \
     keyentry with boxes lc rgb '#009E73' fs solid 0.85 noborder title 'array 3', \
     keyentry with points lc rgb '#404040' pt 6 ps 1.3*k lw 1.3 title 'hollow: spoiled, no answer'
unset multiplot
set output
reset
picture = picture + 1
if (picture <= words(formats)) load 'targets.gp'
undefine picture
