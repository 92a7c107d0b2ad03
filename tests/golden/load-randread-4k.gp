# Draws load-randread-4k.png and load-randread-4k.svg: run gnuplot on this file in its own directory.
set encoding utf8
if (!exists('picture')) picture = 'png'
if (picture eq 'png') set terminal pngcairo noenhanced size 1100,820 font 'sans,11' background '#ffffff'
if (picture eq 'svg') set terminal svg noenhanced size 1100,820 font 'sans-serif,11' fontscale 1.3 background '#ffffff'
set output 'load-randread-4k.'.picture
data = 'load-randread-4k.dat'
set border 3 lc rgb '#606060'
set grid x y lc rgb '#d8d8d8' lt 1 lw 0.7
set tics nomirror out scale 0.6 textcolor rgb '#202020'
set lmargin at screen 0.1
set rmargin at screen 0.735
set multiplot
set label 1 'randread 4k: achieved IOPS and response time against offered load' at screen 0.1,0.965 left noenhanced font ',15'
set label 2 'run 1: ult-lun-sizing on ULT array' at screen 0.1,0.93 left noenhanced font ',11' textcolor rgb '#505050'
unset logscale y
set ytics autofreq
set format y '%.0f'
set yrange [0:1200]
set bmargin at screen 0.52
set tmargin at screen 0.9
set label 5 'IOPS' at screen 0.016,0.71 center rotate
unset logscale x
set xrange [0:1400]
set xtics autofreq
set format x ''
set key at screen 0.75,0.9 left top vertical Left reverse noenhanced samplen 2.5 spacing 1.35
plot data index 0 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1 dt 1 lw 1.8 title 'span 1G', \
     data index 0 using 1:6 with points lc rgb '#000000' pt 2 ps 1.7 lw 1.3 title 'not sustained', \
     data index 2 using 1:2 with points lc rgb '#000000' pt 4 ps 2.8 lw 1.4 title 'max IOPS, mean <= 2 ms', \
     data index 3 using 1:2 with points lc rgb '#000000' pt 12 ps 2.8 lw 1.4 title 'max IOPS, p99 <= 30 ms'
unset label 1
unset label 2
set logscale y 10
set yrange [1:1000]
set ytics ('1' 1, '2' 2, '5' 5, '10' 10, '20' 20, '50' 50, '100' 100, '200' 200, '500' 500, '1000' 1000)
set arrow 1 from graph 0, first 2 to graph 1, first 2 nohead lc rgb '#404040' dt 3 lw 1.2
set label 3 'mean <= 2 ms' at graph 1.01, first 2 left noenhanced font ',10'
set bmargin at screen 0.085
set tmargin at screen 0.475
set label 5 'mean response time (ms, log scale)' at screen 0.016,0.28 center rotate
unset logscale x
set xrange [0:1400]
set xtics autofreq
set format x '%g'
set xlabel 'offered load (IOPS)'
unset key
plot data index 0 using 1:3 with linespoints lc rgb '#0072B2' pt 7 ps 1.1 dt 1 lw 1.8 notitle, \
     data index 0 using 1:7 with points lc rgb '#000000' pt 2 ps 1.7 lw 1.3 notitle
unset label 1
unset label 2
unset multiplot
set output
reset
if (picture eq 'png') picture = 'svg'; load 'load-randread-4k.gp'
