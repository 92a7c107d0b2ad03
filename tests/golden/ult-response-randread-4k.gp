# Draws response-randread-4k in each of these formats: run gnuplot on this file in its own directory.
if (!exists('formats')) formats = 'png svg'
if (!exists('picture')) picture = 1
format = word(formats, picture)
set encoding utf8
if (format eq 'png') set terminal pngcairo noenhanced size 1100,570 font 'sans,11' background '#ffffff'
if (format eq 'svg') set terminal svg noenhanced size 1100,570 font 'sans-serif,11' fontscale 1.3 background '#ffffff'
if (format eq 'pdf') set terminal pdfcairo noenhanced size 11.00,5.70 font 'sans,11' fontscale 0.72 linewidth 1.5 background '#ffffff'
set output 'response-randread-4k.'.format
data = 'response-randread-4k.dat'
k = format eq 'svg' ? 0.8 : 1 # points of SVG are larger
set border 3 lc rgb '#606060'
set grid x y lc rgb '#d8d8d8' lt 1 lw 0.7
set tics nomirror out scale 0.6 textcolor rgb '#202020'
set errorbars small
unset key
set multiplot
set label 'randread 4k: response time against IOPS' at screen 0.054545,0.949123 left font ',15' noenhanced
set label 'run 1: ult-lun-sizing on ULT array' at screen 0.054545,0.901754 left font ',11' textcolor rgb '#505050' noenhanced
set lmargin at screen 0.073273
set rmargin at screen 0.750364
set bmargin at screen 0.117544
set tmargin at screen 0.854386
unset logscale x
set xrange [0:5500]
set xtics norotate autojustify ('0' 0, '1000' 1000, '2000' 2000, '3000' 3000, '4000' 4000, '5000' 5000)
set logscale y 10
set yrange [2:100]
set ytics norotate autojustify ('2' 2, '5' 5, '10' 10, '20' 20, '50' 50, '100' 100)
set label 'achieved IOPS' at screen 0.411818,0.047368 center noenhanced
set label 'mean response time (ms, log scale)' at screen 0.022727,0.485965 center rotate noenhanced
set arrow from screen 0.073273,0.420687 to screen 0.750364,0.420687 nohead back lc rgb '#404040' dt 3 lw 1.4
set label 'mean <= 10 ms' at screen 0.078727,0.435599 left front font ',9' textcolor rgb '#404040' noenhanced
set arrow from screen 0.449686,0.854386 to screen 0.449686,0.117544 nohead back lc rgb '#0072B2' dt 3 lw 1.4
set label '70 %: 3058' at screen 0.453322,0.835965 left front font ',9' textcolor rgb '#404040' noenhanced
set arrow from screen 0.409787,0.854386 to screen 0.409787,0.117544 nohead back lc rgb '#D55E00' dt 3 lw 1.4
set label '70 %: 2734' at screen 0.340696,0.835965 left front font ',9' textcolor rgb '#404040' noenhanced
set arrow from screen 0.377385,0.854386 to screen 0.377385,0.117544 nohead back lc rgb '#009E73' dt 3 lw 1.4
set label '70 %: 2470' at screen 0.381021,0.809649 left front font ',9' textcolor rgb '#404040' noenhanced
set arrow from screen 0.342570,0.854386 to screen 0.342570,0.117544 nohead back lc rgb '#000000' dt 3 lw 1.4
set label '70 %: 2188' at screen 0.273479,0.809649 left front font ',9' textcolor rgb '#404040' noenhanced
set label '1' at screen 0.100408,0.224069 left front font ',9' textcolor rgb '#404040' noenhanced
set label '2' at screen 0.129461,0.228229 left front font ',9' textcolor rgb '#404040' noenhanced
set label '4' at screen 0.183259,0.237593 left front font ',9' textcolor rgb '#404040' noenhanced
set label '8' at screen 0.274358,0.257003 left front font ',9' textcolor rgb '#404040' noenhanced
set label '16' at screen 0.415737,0.287044 left front font ',9' textcolor rgb '#404040' noenhanced
set label '32' at screen 0.624642,0.348510 left front font ',9' textcolor rgb '#404040' noenhanced
set label '64' at screen 0.594411,0.504089 left front font ',9' textcolor rgb '#404040' noenhanced
set label '128' at screen 0.635385,0.618822 left front font ',9' textcolor rgb '#404040' noenhanced
set label '256' at screen 0.647573,0.744845 left front font ',9' textcolor rgb '#404040' noenhanced
set label '64' at screen 0.538028,0.524711 left front font ',9' textcolor rgb '#404040' noenhanced
set label '128' at screen 0.587127,0.634905 left front font ',9' textcolor rgb '#404040' noenhanced
set label '256' at screen 0.596114,0.761634 left front font ',9' textcolor rgb '#404040' noenhanced
set label '64' at screen 0.491740,0.543507 left front font ',9' textcolor rgb '#404040' noenhanced
set label '128' at screen 0.537638,0.652928 left front font ',9' textcolor rgb '#404040' noenhanced
set label '256' at screen 0.548718,0.778595 left front font ',9' textcolor rgb '#404040' noenhanced
set label '1' at screen 0.082059,0.310675 left front font ',9' textcolor rgb '#404040' noenhanced
set label '2' at screen 0.115919,0.327960 left front font ',9' textcolor rgb '#404040' noenhanced
set label '4' at screen 0.158514,0.334886 left front font ',9' textcolor rgb '#404040' noenhanced
set label '8' at screen 0.228070,0.356389 left front font ',9' textcolor rgb '#404040' noenhanced
set label '16' at screen 0.328823,0.402466 left front font ',9' textcolor rgb '#404040' noenhanced
set label '64' at screen 0.440281,0.567020 left front font ',9' textcolor rgb '#404040' noenhanced
set label '128' at screen 0.485441,0.674011 left front font ',9' textcolor rgb '#404040' noenhanced
set label '256' at screen 0.495289,0.799689 left front font ',9' textcolor rgb '#404040' noenhanced
plot data index 0 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 notitle, \
     data index 1 using 1:2 with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 notitle, \
     data index 2 using 1:2 with linespoints lc rgb '#009E73' pt 9 ps 1.1*k dt 4 lw 1.8 notitle, \
     data index 3 using 1:2 with linespoints lc rgb '#000000' pt 11 ps 1.1*k dt 3 lw 1.8 notitle, \
     data index 4 using 1:2 with points lc rgb '#000000' pt 6 ps 2.2*k lw 1.4 notitle, \
     data index 5 using 1:2 with points lc rgb '#000000' pt 4 ps 2.8*k lw 1.4 notitle
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
set key at screen 0.764909,0.854386 left top vertical Left reverse noenhanced samplen 2.5 spacing 1.35 maxcols 1
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
if (picture <= words(formats)) load 'response-randread-4k.gp'
undefine picture
