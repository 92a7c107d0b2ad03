# Draws ratios in each of these formats: run gnuplot on this file in its own directory.
if (!exists('formats')) formats = 'png svg'
if (!exists('picture')) picture = 1
format = word(formats, picture)
set encoding utf8
if (format eq 'png') set terminal pngcairo noenhanced size 1100,517 font 'sans,11' background '#ffffff'
if (format eq 'svg') set terminal svg noenhanced size 1100,517 font 'sans-serif,11' fontscale 1.3 background '#ffffff'
if (format eq 'pdf') set terminal pdfcairo noenhanced size 11.00,5.17 font 'sans,11' fontscale 0.72 linewidth 1.5 background '#ffffff'
set output 'ratios.'.format
data = 'ratios.dat'
k = format eq 'svg' ? 0.8 : 1 # points of SVG are larger
set border 3 lc rgb '#606060'
set grid x y lc rgb '#d8d8d8' lt 1 lw 0.7
set tics nomirror out scale 0.6 textcolor rgb '#202020'
set errorbars small
unset key
set multiplot
set label 'B against A: randread 4k span 1G' at screen 0.054545,0.943907 left font ',15' noenhanced
set label 'A: runs 1,3,5, ult-lun-sizing on array 1; B: runs 2,4,6, ult-lun-sizing on array 2' at screen 0.054545,0.891683 left font ',11' textcolor rgb '#505050' noenhanced
set lmargin at screen 0.073273
set rmargin at screen 0.402909
set bmargin at screen 0.129594
set tmargin at screen 0.806576
set logscale x 2
set xrange [0.6178804817:1.618435975]
set xtics norotate autojustify ('0.8' 0.8, '1' 1, '1.25' 1.25)
unset logscale y
set yrange [-0.5:4.5]
set ytics norotate autojustify ('d16' 0, 'd8' 1, 'd4' 2, 'd2' 3, 'd1' 4)
set label 'B / A (log scale)' at screen 0.419273,0.052224 center noenhanced
set label 'IOPS: B is better right of 1' at screen 0.073273,0.829787 left font ',12' noenhanced
set arrow from screen 0.238091,0.806576 to screen 0.238091,0.129594 nohead back lc rgb '#404040' dt 3 lw 1.4
set arrow from screen 0.221389,0.806576 to screen 0.221389,0.129594 nohead back lc rgb '#404040' dt 3 lw 1.4
set arrow from screen 0.254793,0.806576 to screen 0.254793,0.129594 nohead back lc rgb '#404040' dt 3 lw 1.4
plot data index 0 using 1:2:7:8 with xerrorbars pt -1 lc rgb '#0072B2' lw 1 notitle, \
     data index 0 using 1:2 with points lc rgb '#0072B2' pt 7 ps 1.1*k notitle, \
     data index 1 using 1:2:7:8 with xerrorbars pt -1 lc rgb '#D55E00' lw 1 notitle, \
     data index 1 using 1:2 with points lc rgb '#D55E00' pt 5 ps 1.1*k notitle, \
     data index 2 using 1:2:7:8 with xerrorbars pt -1 lc rgb '#009E73' lw 1 notitle, \
     data index 2 using 1:2 with points lc rgb '#009E73' pt 9 ps 1.1*k notitle, \
     data index 3 using 1:2:7:8 with xerrorbars pt -1 lc rgb '#000000' lw 1 notitle, \
     data index 3 using 1:2 with points lc rgb '#000000' pt 11 ps 1.1*k notitle
unset label
unset arrow
unset object
set lmargin at screen 0.435636
set rmargin at screen 0.765273
set bmargin at screen 0.129594
set tmargin at screen 0.806576
set logscale x 2
set xrange [0.6178804817:1.618435975]
set xtics norotate autojustify ('0.8' 0.8, '1' 1, '1.25' 1.25)
unset logscale y
set yrange [-0.5:4.5]
set ytics norotate autojustify ('' 0, '' 1, '' 2, '' 3, '' 4)
set label 'mean latency: B is better left of 1' at screen 0.435636,0.829787 left font ',12' noenhanced
set arrow from screen 0.600455,0.806576 to screen 0.600455,0.129594 nohead back lc rgb '#404040' dt 3 lw 1.4
set arrow from screen 0.583752,0.806576 to screen 0.583752,0.129594 nohead back lc rgb '#404040' dt 3 lw 1.4
set arrow from screen 0.617157,0.806576 to screen 0.617157,0.129594 nohead back lc rgb '#404040' dt 3 lw 1.4
plot data index 4 using 1:2:7:8 with xerrorbars pt -1 lc rgb '#0072B2' lw 1 notitle, \
     data index 4 using 1:2 with points lc rgb '#0072B2' pt 7 ps 1.1*k notitle, \
     data index 5 using 1:2:7:8 with xerrorbars pt -1 lc rgb '#D55E00' lw 1 notitle, \
     data index 5 using 1:2 with points lc rgb '#D55E00' pt 5 ps 1.1*k notitle, \
     data index 6 using 1:2:7:8 with xerrorbars pt -1 lc rgb '#009E73' lw 1 notitle, \
     data index 6 using 1:2 with points lc rgb '#009E73' pt 9 ps 1.1*k notitle, \
     data index 7 using 1:2:7:8 with xerrorbars pt -1 lc rgb '#000000' lw 1 notitle, \
     data index 7 using 1:2 with points lc rgb '#000000' pt 11 ps 1.1*k notitle
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
set key at screen 0.779818,0.806576 left top vertical Left reverse noenhanced samplen 2.5 spacing 1.35 maxcols 1
plot NaN notitle, \
     keyentry with points lc rgb '#0072B2' pt 7 ps 1.1*k title 'B better (N*: higher)', \
     keyentry with points lc rgb '#D55E00' pt 5 ps 1.1*k title 'B worse (N*: lower)', \
     keyentry with points lc rgb '#009E73' pt 9 ps 1.1*k title 'equivalent', \
     keyentry with points lc rgb '#000000' pt 11 ps 1.1*k title 'inconclusive'
unset multiplot
set output
reset
picture = picture + 1
if (picture <= words(formats)) load 'ratios.gp'
undefine picture
