# Draws targets-depth-rw-randread in each of these formats: run gnuplot on this file in its own directory.
if (!exists('formats')) formats = 'png svg'
if (!exists('picture')) picture = 1
format = word(formats, picture)
set encoding utf8
if (format eq 'png') set terminal pngcairo noenhanced size 1100,798 font 'sans,11' background '#ffffff'
if (format eq 'svg') set terminal svg noenhanced size 1100,798 font 'sans-serif,11' fontscale 1.3 background '#ffffff'
if (format eq 'pdf') set terminal pdfcairo noenhanced size 11.00,7.98 font 'sans,11' fontscale 1 linewidth 1.5 background '#ffffff'
set output 'targets-depth-rw-randread.'.format
data = 'targets-depth-rw-randread.dat'
k = format eq 'svg' ? 0.8 : 1 # points of SVG are larger
set border 3 lc rgb '#606060'
set grid x y lc rgb '#d8d8d8' lt 1 lw 0.7
set tics nomirror out scale 0.6 textcolor rgb '#202020'
set errorbars small
unset key
set multiplot
set label 'randread 4k: IOPS and mean latency against iodepth by target' at screen 0.054545,0.963659 left font ',15' noenhanced
set label 'span 1G' at screen 0.054545,0.929825 left font ',11' textcolor rgb '#505050' noenhanced
set lmargin at screen 0.088182
set rmargin at screen 0.728000
set bmargin at screen 0.505013
set tmargin at screen 0.895990
set logscale x 2
set xrange [0.8827029963:72.50456866]
set xtics norotate autojustify ('' 1, '' 2, '' 4, '' 8, '' 16, '' 32, '' 64)
unset logscale y
set yrange [0:18000]
set ytics norotate autojustify ('0' 0, '5000' 5000, '10000' 10000, '15000' 15000)
set label 'IOPS' at screen 0.022727,0.700501 center rotate noenhanced
plot data index 0 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 notitle, \
     data index 1 using 1:2 with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 notitle, \
     data index 2 using 1:2 with linespoints lc rgb '#009E73' pt 9 ps 1.1*k dt 4 lw 1.8 notitle
unset label
unset arrow
unset object
set lmargin at screen 0.088182
set rmargin at screen 0.728000
set bmargin at screen 0.083960
set tmargin at screen 0.474937
set logscale x 2
set xrange [0.8827029963:72.50456866]
set xtics norotate autojustify ('1' 1, '2' 2, '4' 4, '8' 8, '16' 16, '32' 32, '64' 64)
set logscale y 10
set yrange [0.2:10]
set ytics norotate autojustify ('0.2' 0.2, '0.5' 0.5, '1' 1, '2' 2, '5' 5, '10' 10)
set label 'iodepth (I/Os in flight over all workers, log scale)' at screen 0.408091,0.033835 center noenhanced
set label 'mean latency (ms, log scale)' at screen 0.022727,0.279449 center rotate noenhanced
plot data index 3 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 notitle, \
     data index 4 using 1:2 with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 notitle, \
     data index 5 using 1:2 with linespoints lc rgb '#009E73' pt 9 ps 1.1*k dt 4 lw 1.8 notitle
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
     keyentry with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 title '/tmp/x/0/disk.img', \
     keyentry with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 title '/tmp/x/1/disk.img', \
     keyentry with linespoints lc rgb '#009E73' pt 9 ps 1.1*k dt 4 lw 1.8 title 'an array of spinning disk…'
unset multiplot
set output
reset
picture = picture + 1
if (picture <= words(formats)) load 'targets-depth-rw-randread.gp'
undefine picture
