# Draws response-load-randread-4k in each of these formats: run gnuplot on this file in its own directory.
if (!exists('formats')) formats = 'png svg'
if (!exists('picture')) picture = 1
format = word(formats, picture)
set encoding utf8
if (format eq 'png') set terminal pngcairo noenhanced size 1100,570 font 'sans,11' background '#ffffff'
if (format eq 'svg') set terminal svg noenhanced size 1100,570 font 'sans-serif,11' fontscale 1.3 background '#ffffff'
if (format eq 'pdf') set terminal pdfcairo noenhanced size 11.00,5.70 font 'sans,11' fontscale 0.72 linewidth 1.5 background '#ffffff'
set output 'response-load-randread-4k.'.format
data = 'response-load-randread-4k.dat'
k = format eq 'svg' ? 0.8 : 1 # points of SVG are larger
set border 3 lc rgb '#606060'
set grid x y lc rgb '#d8d8d8' lt 1 lw 0.7
set tics nomirror out scale 0.6 textcolor rgb '#202020'
set errorbars small
unset key
set multiplot
set label 'randread 4k: response time against IOPS under offered loads' at screen 0.054545,0.949123 left font ',15' noenhanced
set label 'run 1: ult-lun-sizing on ULT array' at screen 0.054545,0.901754 left font ',11' textcolor rgb '#505050' noenhanced
set lmargin at screen 0.080727
set rmargin at screen 0.757818
set bmargin at screen 0.117544
set tmargin at screen 0.854386
unset logscale x
set xrange [0:1200]
set xtics norotate autojustify ('0' 0, '200' 200, '400' 400, '600' 600, '800' 800, '1000' 1000, '1200' 1200)
set logscale y 10
set yrange [1:1000]
set ytics norotate autojustify ('1' 1, '2' 2, '5' 5, '10' 10, '20' 20, '50' 50, '100' 100, '200' 200, '500' 500, '1000' 1000)
set label 'achieved IOPS' at screen 0.419273,0.047368 center noenhanced
set label 'mean response time (ms, log scale)' at screen 0.022727,0.485965 center rotate noenhanced
set arrow from screen 0.080727,0.191481 to screen 0.757818,0.191481 nohead back lc rgb '#404040' dt 3 lw 1.4
set label 'mean <= 2 ms' at screen 0.086182,0.206393 left front font ',9' textcolor rgb '#404040' noenhanced
set arrow from screen 0.435805,0.854386 to screen 0.435805,0.117544 nohead back lc rgb '#0072B2' dt 3 lw 1.4
set label '70 %: 629' at screen 0.439441,0.835965 left front font ',9' textcolor rgb '#404040' noenhanced
set label '20%' at screen 0.165758,0.143266 left front font ',9' textcolor rgb '#404040' noenhanced
set label '60%' at screen 0.409455,0.213202 left front font ',9' textcolor rgb '#404040' noenhanced
set label '90%' at screen 0.554708,0.312545 left front font ',9' textcolor rgb '#404040' noenhanced
set label '120%' at screen 0.653152,0.829989 left front font ',9' textcolor rgb '#404040' noenhanced
plot data index 0 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 notitle, \
     data index 0 using 1:4 with points notitle lc rgb '#000000' pt 2 ps 1.7*k lw 1.3, \
     data index 1 using 1:2 with points lc rgb '#000000' pt 6 ps 2.2*k lw 1.4 notitle, \
     data index 2 using 1:2 with points lc rgb '#000000' pt 4 ps 2.8*k lw 1.4 notitle
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
set key at screen 0.772364,0.854386 left top vertical Left reverse noenhanced samplen 2.5 spacing 1.35 maxcols 1
plot NaN notitle, \
     keyentry with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 title 'span 1G', \
     keyentry with points lc rgb '#000000' pt 2 ps 1.7*k lw 1.3 title 'not sustained', \
     keyentry with points lc rgb '#000000' pt 6 ps 2.2*k lw 1.4 title 'max IOPS, mean <= 2 ms', \
     keyentry with points lc rgb '#000000' pt 4 ps 2.8*k lw 1.4 title 'max IOPS, p99 <= 30 ms'
unset multiplot
set output
reset
picture = picture + 1
if (picture <= words(formats)) load 'response-load-randread-4k.gp'
undefine picture
