# Draws iops-span-4k-d16.png and iops-span-4k-d16.svg: run gnuplot on this file in its own directory.
set encoding utf8
if (!exists('picture')) picture = 'png'
if (picture eq 'png') set terminal pngcairo noenhanced size 1100,820 font 'sans,11' background '#ffffff'
if (picture eq 'svg') set terminal svg noenhanced size 1100,820 font 'sans-serif,11' fontscale 1.3 background '#ffffff'
set output 'iops-span-4k-d16.'.picture
data = 'iops-span-4k-d16.dat'
set border 3 lc rgb '#606060'
set grid x y lc rgb '#d8d8d8' lt 1 lw 0.7
set tics nomirror out scale 0.6 textcolor rgb '#202020'
set lmargin at screen 0.1
set rmargin at screen 0.735
set multiplot
set label 1 '4k at iodepth 16: IOPS and response time against span' at screen 0.1,0.965 left noenhanced font ',15'
set label 2 'run 1: ult-lun-sizing on ULT array' at screen 0.1,0.93 left noenhanced font ',11' textcolor rgb '#505050'
unset logscale y
set ytics autofreq
set format y '%.0f'
set yrange [0:3000]
set bmargin at screen 0.52
set tmargin at screen 0.9
set label 5 'IOPS' at screen 0.016,0.71 center rotate
set logscale x 2
set xrange [5.044024352e+11:4.571435124e+12]
set xtics ('' 536870912000, '' 1073741824000, '' 2147483648000, '' 4294967296000)
set key at screen 0.75,0.9 left top vertical Left reverse noenhanced samplen 2.5 spacing 1.35
plot data index 0 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1 dt 1 lw 1.8 title 'randread', \
     data index 1 using 1:2 with linespoints lc rgb '#D55E00' pt 5 ps 1.1 dt 2 lw 1.8 title 'randwrite'
unset label 1
unset label 2
set logscale y 10
set yrange [5:15]
set ytics ('5' 5, '6' 6, '7' 7, '8' 8, '10' 10, '15' 15)
set bmargin at screen 0.085
set tmargin at screen 0.475
set label 5 'mean response time (ms, log scale)' at screen 0.016,0.28 center rotate
set logscale x 2
set xrange [5.044024352e+11:4.571435124e+12]
set xtics ('500G' 536870912000, '1000G' 1073741824000, '2000G' 2147483648000, '4000G' 4294967296000)
set xlabel 'span (log scale)'
unset key
plot data index 0 using 1:3 with linespoints lc rgb '#0072B2' pt 7 ps 1.1 dt 1 lw 1.8 notitle, \
     data index 1 using 1:3 with linespoints lc rgb '#D55E00' pt 5 ps 1.1 dt 2 lw 1.8 notitle
unset label 1
unset label 2
unset multiplot
set output
reset
if (picture eq 'png') picture = 'svg'; load 'iops-span-4k-d16.gp'
