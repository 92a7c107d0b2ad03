# Draws series-point3 in each of these formats: run gnuplot on this file in its own directory.
if (!exists('formats')) formats = 'png svg'
if (!exists('picture')) picture = 1
format = word(formats, picture)
set encoding utf8
if (format eq 'png') set terminal pngcairo noenhanced size 1100,798 font 'sans,11' background '#ffffff'
if (format eq 'svg') set terminal svg noenhanced size 1100,798 font 'sans-serif,11' fontscale 1.3 background '#ffffff'
if (format eq 'pdf') set terminal pdfcairo noenhanced size 11.00,7.98 font 'sans,11' fontscale 0.72 linewidth 1.5 background '#ffffff'
set output 'series-point3.'.format
data = 'series-point3.dat'
k = format eq 'svg' ? 0.8 : 1 # points of SVG are larger
set border 3 lc rgb '#606060'
set grid x y lc rgb '#d8d8d8' lt 1 lw 0.7
set tics nomirror out scale 0.6 textcolor rgb '#202020'
set errorbars small
unset key
set multiplot
set label 'point 3: randread 4k iodepth 4 span 1G, over time' at screen 0.054545,0.963659 left font ',15' noenhanced
set label 'run 1: ult-lun-sizing on ULT array; shown for: stall' at screen 0.054545,0.929825 left font ',11' textcolor rgb '#505050' noenhanced
set lmargin at screen 0.080727
set rmargin at screen 0.772727
set bmargin at screen 0.505013
set tmargin at screen 0.895990
unset logscale x
set xrange [-1:12]
set xtics norotate autojustify ('' 0, '' 2, '' 4, '' 6, '' 8, '' 10, '' 12)
unset logscale y
set yrange [0:4500]
set ytics norotate autojustify ('0' 0, '1000' 1000, '2000' 2000, '3000' 3000, '4000' 4000)
set label 'IOPS' at screen 0.022727,0.700501 center rotate noenhanced
set object rectangle from screen 0.080727,0.505013 to screen 0.133958,0.895990 behind fs solid 1 noborder fc rgb '#e8e8e8'
set label 'ramp' at screen 0.094252,0.882832 left front font ',9' textcolor rgb '#404040' noenhanced
set object rectangle from screen 0.133958,0.505013 to screen 0.240420,0.895990 behind fs solid 1 noborder fc rgb '#e8e8e8'
set label 'warm-up' at screen 0.164280,0.882832 left front font ',9' textcolor rgb '#404040' noenhanced
set object rectangle from screen 0.453343,0.505013 to screen 0.533189,0.895990 behind fs solid 1 noborder fc rgb '#e8e8e8'
set label 'stall 1.5 s' at screen 0.457266,0.882832 left front font ',9' textcolor rgb '#404040' noenhanced
set arrow from screen 0.080727,0.661404 to screen 0.772727,0.661404 nohead back lc rgb '#404040' dt 3 lw 1.4
set label 'mean' at screen 0.086182,0.672055 left front font ',9' textcolor rgb '#404040' noenhanced
plot data index 0 using 1:2 with steps lc rgb '#0072B2' dt 1 lw 1.8 notitle
unset label
unset arrow
unset object
set lmargin at screen 0.080727
set rmargin at screen 0.772727
set bmargin at screen 0.083960
set tmargin at screen 0.474937
unset logscale x
set xrange [-1:12]
set xtics norotate autojustify ('0' 0, '2' 2, '4' 4, '6' 6, '8' 8, '10' 10, '12' 12)
set logscale y 10
set yrange [0.5:2000]
set ytics norotate autojustify ('1' 1, '10' 10, '100' 100, '1000' 1000)
set label 'time since the window began (s)' at screen 0.426727,0.033835 center noenhanced
set label 'mean and largest latency (ms, log scale)' at screen 0.022727,0.279449 center rotate font ',9' noenhanced
set object rectangle from screen 0.080727,0.083960 to screen 0.133958,0.474937 behind fs solid 1 noborder fc rgb '#e8e8e8'
set object rectangle from screen 0.133958,0.083960 to screen 0.240420,0.474937 behind fs solid 1 noborder fc rgb '#e8e8e8'
set object rectangle from screen 0.453343,0.083960 to screen 0.533189,0.474937 behind fs solid 1 noborder fc rgb '#e8e8e8'
set arrow from screen 0.080727,0.125229 to screen 0.772727,0.125229 nohead back lc rgb '#404040' dt 3 lw 1.4
set label 'mean' at screen 0.086182,0.135880 left front font ',9' textcolor rgb '#404040' noenhanced
plot data index 1 using 1:2 with steps lc rgb '#0072B2' dt 1 lw 1.8 notitle, \
     data index 2 using 1:2 with points lc rgb '#D55E00' pt 5 ps 1.1*k notitle
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
set key at screen 0.787273,0.895990 left top vertical Left reverse noenhanced samplen 2.5 spacing 1.35 maxcols 1
plot NaN notitle, \
     keyentry with steps lc rgb '#0072B2' dt 1 lw 1.8 title 'reads', \
     keyentry with points lc rgb '#D55E00' pt 5 ps 1.1*k title 'largest of each step'
unset multiplot
set output
reset
picture = picture + 1
if (picture <= words(formats)) load 'series-point3.gp'
undefine picture
