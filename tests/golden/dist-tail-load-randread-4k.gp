# Draws tail-load-randread-4k in each of these formats: run gnuplot on this file in its own directory.
if (!exists('formats')) formats = 'png svg'
if (!exists('picture')) picture = 1
format = word(formats, picture)
set encoding utf8
if (format eq 'png') set terminal pngcairo noenhanced size 1100,570 font 'sans,11' background '#ffffff'
if (format eq 'svg') set terminal svg noenhanced size 1100,570 font 'sans-serif,11' fontscale 1.3 background '#ffffff'
if (format eq 'pdf') set terminal pdfcairo noenhanced size 11.00,5.70 font 'sans,11' fontscale 0.72 linewidth 1.5 background '#ffffff'
set output 'tail-load-randread-4k.'.format
data = 'tail-load-randread-4k.dat'
k = format eq 'svg' ? 0.8 : 1 # points of SVG are larger
set border 3 lc rgb '#606060'
set grid x y lc rgb '#d8d8d8' lt 1 lw 0.7
set tics nomirror out scale 0.6 textcolor rgb '#202020'
set errorbars small
unset key
set multiplot
set label 'randread 4k: share of I/Os that took longer, by offered load' at screen 0.054545,0.949123 left font ',15' noenhanced
set label 'run 1: ult-lun-sizing on ULT array' at screen 0.054545,0.901754 left font ',11' textcolor rgb '#505050' noenhanced
set lmargin at screen 0.095636
set rmargin at screen 0.742909
set bmargin at screen 0.117544
set tmargin at screen 0.854386
set logscale x 10
set xrange [0.5:500]
set xtics norotate autojustify ('0.5' 0.5, '1' 1, '2' 2, '5' 5, '10' 10, '20' 20, '50' 50, '100' 100, '200' 200, '500' 500)
set logscale y 10
set yrange [0.0001:1]
set ytics norotate autojustify ('0.01 %%' 0.0001, '0.1 %%' 0.001, '1 %%' 0.01, '10 %%' 0.1, '100 %%' 1)
set label 'latency (ms, log scale)' at screen 0.419273,0.047368 center noenhanced
set label 'share of I/Os that took longer (1 % is p99)' at screen 0.022727,0.485965 center rotate noenhanced
set arrow from screen 0.355434,0.854386 to screen 0.355434,0.117544 nohead back lc rgb '#404040' dt 3 lw 1.4
set label 'p99 <= 8 ms' at screen 0.359071,0.835965 left front font ',9' textcolor rgb '#404040' noenhanced
plot data index 0 using 1:2 with lines lc rgb '#0072B2' dt 1 lw 1.8 notitle, \
     data index 1 using 1:2 with lines lc rgb '#D55E00' dt 2 lw 1.8 notitle, \
     data index 2 using 1:2 with lines lc rgb '#009E73' dt 4 lw 1.8 notitle, \
     data index 3 using 1:2 with lines lc rgb '#000000' dt 3 lw 1.8 notitle
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
set key at screen 0.757455,0.854386 left top vertical Left reverse noenhanced samplen 2.5 spacing 1.35 maxcols 1
plot NaN notitle, \
     keyentry with lines lc rgb '#0072B2' dt 1 lw 1.8 title 'load 20%', \
     keyentry with lines lc rgb '#D55E00' dt 2 lw 1.8 title 'load 60%', \
     keyentry with lines lc rgb '#009E73' dt 4 lw 1.8 title 'load 90%', \
     keyentry with lines lc rgb '#000000' dt 3 lw 1.8 title 'load 120%, not sustained'
unset multiplot
set output
reset
picture = picture + 1
if (picture <= words(formats)) load 'tail-load-randread-4k.gp'
undefine picture
