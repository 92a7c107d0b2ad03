# Draws lun-size in each of these formats: run gnuplot on this file in its own directory.
if (!exists('formats')) formats = 'png svg'
if (!exists('picture')) picture = 1
format = word(formats, picture)
set encoding utf8
if (format eq 'png') set terminal pngcairo noenhanced size 1100,1025 font 'sans,11' background '#ffffff'
if (format eq 'svg') set terminal svg noenhanced size 1100,1025 font 'sans-serif,11' fontscale 1.3 background '#ffffff'
if (format eq 'pdf') set terminal pdfcairo noenhanced size 11.00,10.25 font 'sans,11' fontscale 0.72 linewidth 1.5 background '#ffffff'
set output 'lun-size.'.format
data = 'lun-size.dat'
k = format eq 'svg' ? 0.8 : 1 # points of SVG are larger
set border 3 lc rgb '#606060'
set grid x y lc rgb '#d8d8d8' lt 1 lw 0.7
set tics nomirror out scale 0.6 textcolor rgb '#202020'
set errorbars small
unset key
set multiplot
set label 'LUN sizing: what a larger LUN costs' at screen 0.054545,0.971707 left font ',15' noenhanced
set label 'a VM asks 50 IOPS, 40G, 70 % reads; mean <= 10 ms' at screen 0.054545,0.945366 left font ',11' textcolor rgb '#505050' noenhanced
set lmargin at screen 0.080727
set rmargin at screen 0.407091
set bmargin at screen 0.639024
set tmargin at screen 0.902439
set logscale x 2
set xrange [5.165080937e+11:4.681149567e+12]
set xtics norotate autojustify ('' 549755813888, '' 1099511627776, '' 2199023255552, '' 4398046511104)
unset logscale y
set yrange [0:5000]
set ytics norotate autojustify ('0' 0, '1000' 1000, '2000' 2000, '3000' 3000, '4000' 4000, '5000' 5000)
set label 'IOPS' at screen 0.022727,0.770732 center rotate noenhanced
set label 'at iodepth 16' at screen 0.080727,0.914146 left font ',12' noenhanced
set arrow from screen 0.192594,0.902439 to screen 0.192594,0.639024 nohead back lc rgb '#404040' dt 3 lw 1.4
set label 'recommended' at screen 0.196230,0.892195 left front font ',9' textcolor rgb '#404040' noenhanced
plot data index 0 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 notitle, \
     data index 1 using 1:2 with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 notitle
unset label
unset arrow
unset object
set lmargin at screen 0.491091
set rmargin at screen 0.817455
set bmargin at screen 0.639024
set tmargin at screen 0.902439
set logscale x 2
set xrange [5.165080937e+11:4.681149567e+12]
set xtics norotate autojustify ('' 549755813888, '' 1099511627776, '' 2199023255552, '' 4398046511104)
unset logscale y
set yrange [0:5000]
set ytics norotate autojustify ('' 0, '' 1000, '' 2000, '' 3000, '' 4000, '' 5000)
set label 'under mean <= 10 ms' at screen 0.491091,0.914146 left font ',12' noenhanced
set arrow from screen 0.602958,0.902439 to screen 0.602958,0.639024 nohead back lc rgb '#404040' dt 3 lw 1.4
set label 'recommended' at screen 0.606594,0.892195 left front font ',9' textcolor rgb '#404040' noenhanced
plot data index 3 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 notitle, \
     data index 4 using 1:2 with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 notitle, \
     data index 5 using 1:2 with linespoints lc rgb '#009E73' pt 9 ps 1.1*k dt 4 lw 1.8 notitle
unset label
unset arrow
unset object
set lmargin at screen 0.080727
set rmargin at screen 0.407091
set bmargin at screen 0.352195
set tmargin at screen 0.615610
set logscale x 2
set xrange [5.165080937e+11:4.681149567e+12]
set xtics norotate autojustify ('' 549755813888, '' 1099511627776, '' 2199023255552, '' 4398046511104)
unset logscale y
set yrange [0:120]
set ytics norotate autojustify ('0' 0, '20' 20, '40' 40, '60' 60, '80' 80, '100' 100, '120' 120)
set label '% of the IOPS of the smallest' at screen 0.022727,0.483902 center rotate noenhanced
set arrow from screen 0.080727,0.538780 to screen 0.407091,0.538780 nohead back lc rgb '#404040' dt 3 lw 1.4
set label 'loss limit 15 %' at screen 0.307091,0.547073 left front font ',9' textcolor rgb '#404040' noenhanced
set arrow from screen 0.192594,0.615610 to screen 0.192594,0.352195 nohead back lc rgb '#404040' dt 3 lw 1.4
plot data index 6 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 notitle, \
     data index 7 using 1:2 with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 notitle
unset label
unset arrow
unset object
set lmargin at screen 0.491091
set rmargin at screen 0.817455
set bmargin at screen 0.352195
set tmargin at screen 0.615610
set logscale x 2
set xrange [5.165080937e+11:4.681149567e+12]
set xtics norotate autojustify ('' 549755813888, '' 1099511627776, '' 2199023255552, '' 4398046511104)
unset logscale y
set yrange [0:120]
set ytics norotate autojustify ('' 0, '' 20, '' 40, '' 60, '' 80, '' 100, '' 120)
set arrow from screen 0.491091,0.538780 to screen 0.817455,0.538780 nohead back lc rgb '#404040' dt 3 lw 1.4
set label 'loss limit 15 %' at screen 0.717455,0.547073 left front font ',9' textcolor rgb '#404040' noenhanced
set arrow from screen 0.602958,0.615610 to screen 0.602958,0.352195 nohead back lc rgb '#404040' dt 3 lw 1.4
plot data index 9 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 notitle, \
     data index 10 using 1:2 with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 notitle, \
     data index 11 using 1:2 with linespoints lc rgb '#009E73' pt 9 ps 1.1*k dt 4 lw 1.8 notitle
unset label
unset arrow
unset object
set lmargin at screen 0.080727
set rmargin at screen 0.407091
set bmargin at screen 0.065366
set tmargin at screen 0.328780
set logscale x 2
set xrange [5.165080937e+11:4.681149567e+12]
set xtics norotate autojustify ('512G' 549755813888, '1024G' 1099511627776, '2048G' 2199023255552, '4096G' 4398046511104)
set logscale y 10
set yrange [5:15]
set ytics norotate autojustify ('5' 5, '6' 6, '7' 7, '8' 8, '10' 10, '15' 15)
set label 'LUN size (log scale)' at screen 0.449091,0.026341 center noenhanced
set label 'mean latency (ms, log scale)' at screen 0.022727,0.197073 center rotate noenhanced
set arrow from screen 0.192594,0.328780 to screen 0.192594,0.065366 nohead back lc rgb '#404040' dt 3 lw 1.4
plot data index 12 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 notitle, \
     data index 13 using 1:2 with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 notitle
unset label
unset arrow
unset object
set lmargin at screen 0.491091
set rmargin at screen 0.817455
set bmargin at screen 0.065366
set tmargin at screen 0.328780
set logscale x 2
set xrange [5.165080937e+11:4.681149567e+12]
set xtics norotate autojustify ('512G' 549755813888, '1024G' 1099511627776, '2048G' 2199023255552, '4096G' 4398046511104)
set logscale y 2
set yrange [7.516181994:68.11969168]
set ytics norotate autojustify ('8' 8, '16' 16, '32' 32, '64' 64)
set label 'iodepth (log scale)' at screen 0.448000,0.197073 center rotate noenhanced
set arrow from screen 0.602958,0.328780 to screen 0.602958,0.065366 nohead back lc rgb '#404040' dt 3 lw 1.4
plot data index 15 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 notitle, \
     data index 16 using 1:2 with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 notitle
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
set key at screen 0.832000,0.902439 left top vertical Left reverse noenhanced samplen 2.5 spacing 1.35 maxcols 1
plot NaN notitle, \
     keyentry with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 title 'reads', \
     keyentry with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 title 'writes', \
     keyentry with linespoints lc rgb '#009E73' pt 9 ps 1.1*k dt 4 lw 1.8 title 'mix, estimated'
unset multiplot
set output
reset
picture = picture + 1
if (picture <= words(formats)) load 'lun-size.gp'
undefine picture
