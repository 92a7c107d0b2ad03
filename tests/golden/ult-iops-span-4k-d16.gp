# Draws iops-span-4k-d16 in each of these formats: run gnuplot on this file in its own directory.
if (!exists('formats')) formats = 'png svg'
if (!exists('picture')) picture = 1
format = word(formats, picture)
set encoding utf8
if (format eq 'png') set terminal pngcairo noenhanced size 1100,798 font 'sans,11' background '#ffffff'
if (format eq 'svg') set terminal svg noenhanced size 1100,798 font 'sans-serif,11' fontscale 1.3 background '#ffffff'
if (format eq 'pdf') set terminal pdfcairo noenhanced size 11.00,7.98 font 'sans,11' fontscale 0.72 linewidth 1.5 background '#ffffff'
set output 'iops-span-4k-d16.'.format
data = 'iops-span-4k-d16.dat'
k = format eq 'svg' ? 0.8 : 1 # points of SVG are larger
set border 3 lc rgb '#606060'
set grid x y lc rgb '#d8d8d8' lt 1 lw 0.7
set tics nomirror out scale 0.6 textcolor rgb '#202020'
set errorbars small
unset key
set multiplot
set label '4k at iodepth 16: IOPS and response time against span' at screen 0.054545,0.963659 left font ',15' noenhanced
set label 'run 1: ult-lun-sizing on ULT array' at screen 0.054545,0.929825 left font ',11' textcolor rgb '#505050' noenhanced
set lmargin at screen 0.080727
set rmargin at screen 0.854727
set bmargin at screen 0.505013
set tmargin at screen 0.895990
set logscale x 2
set xrange [5.044024352e+11:4.571435124e+12]
set xtics norotate autojustify ('' 536870912000, '' 1073741824000, '' 2147483648000, '' 4294967296000)
unset logscale y
set yrange [0:3000]
set ytics norotate autojustify ('0' 0, '500' 500, '1000' 1000, '1500' 1500, '2000' 2000, '2500' 2500, '3000' 3000)
set label 'IOPS' at screen 0.022727,0.700501 center rotate noenhanced
plot data index 0 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 notitle, \
     data index 1 using 1:2 with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 notitle
unset label
unset arrow
unset object
set lmargin at screen 0.080727
set rmargin at screen 0.854727
set bmargin at screen 0.083960
set tmargin at screen 0.474937
set logscale x 2
set xrange [5.044024352e+11:4.571435124e+12]
set xtics norotate autojustify ('500G' 536870912000, '1000G' 1073741824000, '2000G' 2147483648000, '4000G' 4294967296000)
set logscale y 10
set yrange [5:15]
set ytics norotate autojustify ('5' 5, '6' 6, '7' 7, '8' 8, '10' 10, '15' 15)
set label 'span (log scale)' at screen 0.467727,0.033835 center noenhanced
set label 'mean response time (ms, log scale)' at screen 0.022727,0.279449 center rotate noenhanced
plot data index 2 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 notitle, \
     data index 3 using 1:2 with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 notitle
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
set key at screen 0.869273,0.895990 left top vertical Left reverse noenhanced samplen 2.5 spacing 1.35 maxcols 1
plot NaN notitle, \
     keyentry with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 title 'randread', \
     keyentry with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 title 'randwrite'
unset multiplot
set output
reset
picture = picture + 1
if (picture <= words(formats)) load 'iops-span-4k-d16.gp'
undefine picture
