# Draws mix-random-4k-span1G in each of these formats: run gnuplot on this file in its own directory.
if (!exists('formats')) formats = 'png svg'
if (!exists('picture')) picture = 1
format = word(formats, picture)
set encoding utf8
if (format eq 'png') set terminal pngcairo noenhanced size 1100,811 font 'sans,11' background '#ffffff'
if (format eq 'svg') set terminal svg noenhanced size 1100,811 font 'sans-serif,11' fontscale 1.3 background '#ffffff'
if (format eq 'pdf') set terminal pdfcairo noenhanced size 11.00,8.11 font 'sans,11' fontscale 1 linewidth 1.5 background '#ffffff'
set output 'mix-random-4k-span1G.'.format
data = 'mix-random-4k-span1G.dat'
k = format eq 'svg' ? 0.8 : 1 # points of SVG are larger
set border 3 lc rgb '#606060'
set grid x y lc rgb '#d8d8d8' lt 1 lw 0.7
set tics nomirror out scale 0.6 textcolor rgb '#202020'
set errorbars small
unset key
set multiplot
set label 'random 4k span 1G: IOPS and latency against the share of reads' at screen 0.054545,0.964242 left font ',15' noenhanced
set label 'run 1: ult-lun-sizing on ULT array' at screen 0.054545,0.930949 left font ',11' textcolor rgb '#505050' noenhanced
set lmargin at screen 0.069636
set rmargin at screen 0.316970
set bmargin at screen 0.491985
set tmargin at screen 0.876695
unset logscale x
set xrange [-3:103]
set xtics norotate autojustify ('' 0, '' 30, '' 70, '' 100)
unset logscale y
set yrange [0:700]
set ytics norotate autojustify ('0' 0, '100' 100, '200' 200, '300' 300, '400' 400, '500' 500, '600' 600, '700' 700)
set label 'IOPS' at screen 0.022727,0.684340 center rotate noenhanced
set label 'iodepth 1' at screen 0.069636,0.891492 left font ',12' noenhanced
plot data index 0 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 notitle, \
     data index 1 using 1:2 with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 notitle, \
     data index 2 using 1:2 with linespoints lc rgb '#009E73' pt 9 ps 1.1*k dt 4 lw 1.8 notitle
unset label
unset arrow
unset object
set lmargin at screen 0.349697
set rmargin at screen 0.597030
set bmargin at screen 0.491985
set tmargin at screen 0.876695
unset logscale x
set xrange [-3:103]
set xtics norotate autojustify ('' 0, '' 30, '' 70, '' 100)
unset logscale y
set yrange [0:700]
set ytics norotate autojustify ('' 0, '' 100, '' 200, '' 300, '' 400, '' 500, '' 600, '' 700)
set label 'iodepth 4' at screen 0.349697,0.891492 left font ',12' noenhanced
plot data index 3 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 notitle, \
     data index 4 using 1:2 with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 notitle, \
     data index 5 using 1:2 with linespoints lc rgb '#009E73' pt 9 ps 1.1*k dt 4 lw 1.8 notitle
unset label
unset arrow
unset object
set lmargin at screen 0.629758
set rmargin at screen 0.877091
set bmargin at screen 0.491985
set tmargin at screen 0.876695
unset logscale x
set xrange [-3:103]
set xtics norotate autojustify ('' 0, '' 30, '' 70, '' 100)
unset logscale y
set yrange [0:700]
set ytics norotate autojustify ('' 0, '' 100, '' 200, '' 300, '' 400, '' 500, '' 600, '' 700)
set label 'iodepth 16' at screen 0.629758,0.891492 left font ',12' noenhanced
plot data index 6 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 notitle, \
     data index 7 using 1:2 with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 notitle, \
     data index 8 using 1:2 with linespoints lc rgb '#009E73' pt 9 ps 1.1*k dt 4 lw 1.8 notitle
unset label
unset arrow
unset object
set lmargin at screen 0.069636
set rmargin at screen 0.316970
set bmargin at screen 0.077682
set tmargin at screen 0.462392
unset logscale x
set xrange [-3:103]
set xtics norotate autojustify ('0' 0, '30' 30, '70' 70, '100' 100)
set logscale y 10
set yrange [0.1:10]
set ytics norotate autojustify ('0.1' 0.1, '0.2' 0.2, '0.5' 0.5, '1' 1, '2' 2, '5' 5, '10' 10)
set label 'reads (% of I/Os)' at screen 0.473364,0.028360 center noenhanced
set label 'mean latency (ms, log scale)' at screen 0.022727,0.270037 center rotate noenhanced
plot data index 9 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 notitle, \
     data index 10 using 1:2 with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 notitle, \
     data index 11 using 1:2 with linespoints lc rgb '#009E73' pt 9 ps 1.1*k dt 4 lw 1.8 notitle
unset label
unset arrow
unset object
set lmargin at screen 0.349697
set rmargin at screen 0.597030
set bmargin at screen 0.077682
set tmargin at screen 0.462392
unset logscale x
set xrange [-3:103]
set xtics norotate autojustify ('0' 0, '30' 30, '70' 70, '100' 100)
set logscale y 10
set yrange [0.1:10]
set ytics norotate autojustify ('' 0.1, '' 0.2, '' 0.5, '' 1, '' 2, '' 5, '' 10)
plot data index 12 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 notitle, \
     data index 13 using 1:2 with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 notitle, \
     data index 14 using 1:2 with linespoints lc rgb '#009E73' pt 9 ps 1.1*k dt 4 lw 1.8 notitle
unset label
unset arrow
unset object
set lmargin at screen 0.629758
set rmargin at screen 0.877091
set bmargin at screen 0.077682
set tmargin at screen 0.462392
unset logscale x
set xrange [-3:103]
set xtics norotate autojustify ('0' 0, '30' 30, '70' 70, '100' 100)
set logscale y 10
set yrange [0.1:10]
set ytics norotate autojustify ('' 0.1, '' 0.2, '' 0.5, '' 1, '' 2, '' 5, '' 10)
plot data index 15 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 notitle, \
     data index 16 using 1:2 with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 notitle, \
     data index 17 using 1:2 with linespoints lc rgb '#009E73' pt 9 ps 1.1*k dt 4 lw 1.8 notitle
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
set key at screen 0.891636,0.876695 left top vertical Left reverse noenhanced samplen 2.5 spacing 1.35 maxcols 1
plot NaN notitle, \
     keyentry with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 title 'reads', \
     keyentry with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 title 'writes', \
     keyentry with linespoints lc rgb '#009E73' pt 9 ps 1.1*k dt 4 lw 1.8 title 'total'
unset multiplot
set output
reset
picture = picture + 1
if (picture <= words(formats)) load 'mix-random-4k-span1G.gp'
undefine picture
