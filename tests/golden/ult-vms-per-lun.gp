# Draws vms-per-lun in each of these formats: run gnuplot on this file in its own directory.
if (!exists('formats')) formats = 'png svg'
if (!exists('picture')) picture = 1
format = word(formats, picture)
set encoding utf8
if (format eq 'png') set terminal pngcairo noenhanced size 1100,570 font 'sans,11' background '#ffffff'
if (format eq 'svg') set terminal svg noenhanced size 1100,570 font 'sans-serif,11' fontscale 1.3 background '#ffffff'
if (format eq 'pdf') set terminal pdfcairo noenhanced size 11.00,5.70 font 'sans,11' fontscale 1 linewidth 1.5 background '#ffffff'
set output 'vms-per-lun.'.format
data = 'vms-per-lun.dat'
k = format eq 'svg' ? 0.8 : 1 # points of SVG are larger
set border 3 lc rgb '#606060'
set grid x y lc rgb '#d8d8d8' lt 1 lw 0.7
set tics nomirror out scale 0.6 textcolor rgb '#202020'
set errorbars small
unset key
set multiplot
set label 'VMs per LUN by each bound' at screen 0.054545,0.949123 left font ',15' noenhanced
set label 'a VM asks 50 IOPS, 40G, 70 % reads; mean <= 10 ms' at screen 0.054545,0.901754 left font ',11' textcolor rgb '#505050' noenhanced
set lmargin at screen 0.065818
set rmargin at screen 0.735455
set bmargin at screen 0.117544
set tmargin at screen 0.854386
set logscale x 2
set xrange [4.183460866e+11:5.779548839e+12]
set xtics norotate autojustify ('512G' 549755813888, '1024G' 1099511627776, '2048G' 2199023255552, '4096G' 4398046511104)
unset logscale y
set yrange [0:85]
set ytics norotate autojustify ('0' 0, '10' 10, '20' 20, '30' 30, '40' 40, '50' 50, '60' 60, '70' 70, '80' 80)
set label 'LUN size (log scale)' at screen 0.400636,0.047368 center noenhanced
set label 'VMs per LUN' at screen 0.022727,0.485965 center rotate noenhanced
set label '10' at screen 0.114209,0.217389 left front font ',9' textcolor rgb '#404040' noenhanced
set label '20' at screen 0.305706,0.326883 left front font ',9' textcolor rgb '#404040' noenhanced
set label '32' at screen 0.482476,0.420382 left front font ',9' textcolor rgb '#404040' noenhanced
set label '32' at screen 0.673973,0.381785 left front font ',9' textcolor rgb '#404040' noenhanced
plot data index 0 using 1:2:7:8:(0):2 with boxxyerror lc rgb '#E69F00' fs solid 0.85 noborder notitle, \
     data index 1 using 1:2:7:8:(0):2 with boxxyerror lc rgb '#7F7F7F' fs solid 0.85 noborder notitle, \
     data index 2 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 notitle, \
     data index 3 using 1:2 with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 notitle, \
     data index 4 using 1:2 with linespoints lc rgb '#009E73' pt 9 ps 1.1*k dt 4 lw 1.8 notitle, \
     data index 5 using 1:2 with points lc rgb '#000000' pt 6 ps 2.2*k lw 1.4 notitle
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
set key at screen 0.750000,0.854386 left top vertical Left reverse noenhanced samplen 2.5 spacing 1.35 maxcols 1
plot NaN notitle, \
     keyentry with boxes lc rgb '#E69F00' fs solid 0.85 noborder title 'VMs: the least bound', \
     keyentry with boxes lc rgb '#7F7F7F' fs solid 0.85 noborder title 'the least, not to be used', \
     keyentry with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 title 'by capacity', \
     keyentry with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 title 'by the queue of the LUN', \
     keyentry with linespoints lc rgb '#009E73' pt 9 ps 1.1*k dt 4 lw 1.8 title 'by IOPS under the cap', \
     keyentry with points lc rgb '#000000' pt 6 ps 2.2*k lw 1.4 title 'recommended'
unset multiplot
set output
reset
picture = picture + 1
if (picture <= words(formats)) load 'vms-per-lun.gp'
undefine picture
