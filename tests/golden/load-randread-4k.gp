# Draws load-randread-4k in each of these formats: run gnuplot on this file in its own directory.
if (!exists('formats')) formats = 'png svg'
if (!exists('picture')) picture = 1
format = word(formats, picture)
set encoding utf8
if (format eq 'png') set terminal pngcairo noenhanced size 1100,798 font 'sans,11' background '#ffffff'
if (format eq 'svg') set terminal svg noenhanced size 1100,798 font 'sans-serif,11' fontscale 1.3 background '#ffffff'
if (format eq 'pdf') set terminal pdfcairo noenhanced size 11.00,7.98 font 'sans,11' fontscale 0.72 linewidth 1.5 background '#ffffff'
set output 'load-randread-4k.'.format
data = 'load-randread-4k.dat'
k = format eq 'svg' ? 0.8 : 1 # points of SVG are larger
set border 3 lc rgb '#606060'
set grid x y lc rgb '#d8d8d8' lt 1 lw 0.7
set tics nomirror out scale 0.6 textcolor rgb '#202020'
set errorbars small
unset key
set multiplot
set label 'randread 4k: achieved IOPS and response time against offered load' at screen 0.054545,0.963659 left font ',15' noenhanced
set label 'run 1: ult-lun-sizing on ULT array' at screen 0.054545,0.929825 left font ',11' textcolor rgb '#505050' noenhanced
set lmargin at screen 0.080727
set rmargin at screen 0.757818
set bmargin at screen 0.505013
set tmargin at screen 0.895990
unset logscale x
set xrange [0:1400]
set xtics norotate autojustify ('' 0, '' 200, '' 400, '' 600, '' 800, '' 1000, '' 1200, '' 1400)
unset logscale y
set yrange [0:1200]
set ytics norotate autojustify ('0' 0, '200' 200, '400' 400, '600' 600, '800' 800, '1000' 1000, '1200' 1200)
set label 'IOPS' at screen 0.022727,0.700501 center rotate noenhanced
plot data index 0 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 notitle, \
     data index 0 using 1:4 with points notitle lc rgb '#000000' pt 2 ps 1.7*k lw 1.3, \
     data index 1 using 1:2 with points lc rgb '#000000' pt 6 ps 2.2*k lw 1.4 notitle, \
     data index 2 using 1:2 with points lc rgb '#000000' pt 4 ps 2.8*k lw 1.4 notitle
unset label
unset arrow
unset object
set lmargin at screen 0.080727
set rmargin at screen 0.757818
set bmargin at screen 0.083960
set tmargin at screen 0.474937
unset logscale x
set xrange [0:1400]
set xtics norotate autojustify ('0' 0, '200' 200, '400' 400, '600' 600, '800' 800, '1000' 1000, '1200' 1200, '1400' 1400)
set logscale y 10
set yrange [1:1000]
set ytics norotate autojustify ('1' 1, '2' 2, '5' 5, '10' 10, '20' 20, '50' 50, '100' 100, '200' 200, '500' 500, '1000' 1000)
set label 'offered load (IOPS)' at screen 0.419273,0.033835 center noenhanced
set label 'mean response time (ms, log scale)' at screen 0.022727,0.279449 center rotate noenhanced
set arrow from screen 0.080727,0.123192 to screen 0.757818,0.123192 nohead back lc rgb '#404040' dt 3 lw 1.4
set label 'mean <= 2 ms' at screen 0.086182,0.133844 left front font ',9' textcolor rgb '#404040' noenhanced
plot data index 3 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 notitle, \
     data index 3 using 1:4 with points notitle lc rgb '#000000' pt 2 ps 1.7*k lw 1.3
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
set key at screen 0.772364,0.895990 left top vertical Left reverse noenhanced samplen 2.5 spacing 1.35 maxcols 1
plot NaN notitle, \
     keyentry with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 title 'span 1G', \
     keyentry with points lc rgb '#000000' pt 2 ps 1.7*k lw 1.3 title 'not sustained', \
     keyentry with points lc rgb '#000000' pt 6 ps 2.2*k lw 1.4 title 'max IOPS, mean <= 2 ms', \
     keyentry with points lc rgb '#000000' pt 4 ps 2.8*k lw 1.4 title 'max IOPS, p99 <= 30 ms'
unset multiplot
set output
reset
picture = picture + 1
if (picture <= words(formats)) load 'load-randread-4k.gp'
undefine picture
