# Draws response-randread-4k in each of these formats: run gnuplot on this file in its own directory.
if (!exists('formats')) formats = 'png svg'
if (!exists('picture')) picture = 1
format = word(formats, picture)
set encoding utf8
if (format eq 'png') set terminal pngcairo noenhanced size 1100,566 font 'sans,11' background '#ffffff'
if (format eq 'svg') set terminal svg noenhanced size 1100,566 font 'sans-serif,11' fontscale 1.3 background '#ffffff'
if (format eq 'pdf') set terminal pdfcairo noenhanced size 11.00,5.66 font 'sans,11' fontscale 1 linewidth 1.5 background '#ffffff'
set output 'response-randread-4k.'.format
data = 'response-randread-4k.dat'
k = format eq 'svg' ? 0.8 : 1 # points of SVG are larger
set border 3 lc rgb '#606060'
set grid x y lc rgb '#d8d8d8' lt 1 lw 0.7
set tics nomirror out scale 0.6 textcolor rgb '#202020'
set errorbars small
unset key
set multiplot
set label 'randread 4k: response time against IOPS' at screen 0.054545,0.948763 left font ',15' noenhanced
set label 'run 1: ult-lun-sizing on ULT array' at screen 0.054545,0.901060 left font ',11' textcolor rgb '#505050' noenhanced
set lmargin at screen 0.069636
set rmargin at screen 0.750364
set bmargin at screen 0.111307
set tmargin at screen 0.853357
unset logscale x
set xrange [0:5500]
set xtics norotate autojustify ('0' 0, '1000' 1000, '2000' 2000, '3000' 3000, '4000' 4000, '5000' 5000)
set logscale y 10
set yrange [2:100]
set ytics norotate autojustify ('2' 2, '5' 5, '10' 10, '20' 20, '50' 50, '100' 100)
set label 'achieved IOPS' at screen 0.410000,0.040636 center noenhanced
set label 'mean response time (ms, log scale)' at screen 0.022727,0.482332 center rotate noenhanced
set arrow from screen 0.069636,0.416593 to screen 0.750364,0.416593 nohead back lc rgb '#404040' dt 3 lw 1.4
set label 'mean <= 10 ms' at screen 0.075091,0.431610 left front font ',9' textcolor rgb '#404040' noenhanced
set arrow from screen 0.448071,0.853357 to screen 0.448071,0.111307 nohead back lc rgb '#0072B2' dt 3 lw 1.4
set label '70 %: 3058' at screen 0.451708,0.834806 left front font ',9' textcolor rgb '#404040' noenhanced
set arrow from screen 0.407958,0.853357 to screen 0.407958,0.111307 nohead back lc rgb '#D55E00' dt 3 lw 1.4
set label '70 %: 2734' at screen 0.338867,0.834806 left front font ',9' textcolor rgb '#404040' noenhanced
set arrow from screen 0.375382,0.853357 to screen 0.375382,0.111307 nohead back lc rgb '#009E73' dt 3 lw 1.4
set label '70 %: 2470' at screen 0.379018,0.808304 left front font ',9' textcolor rgb '#404040' noenhanced
set arrow from screen 0.340380,0.853357 to screen 0.340380,0.111307 nohead back lc rgb '#000000' dt 3 lw 1.4
set label '70 %: 2188' at screen 0.271289,0.808304 left front font ',9' textcolor rgb '#404040' noenhanced
set label '1' at screen 0.096934,0.218586 left front font ',9' textcolor rgb '#404040' noenhanced
set label '2' at screen 0.126144,0.222775 left front font ',9' textcolor rgb '#404040' noenhanced
set label '4' at screen 0.180231,0.232205 left front font ',9' textcolor rgb '#404040' noenhanced
set label '8' at screen 0.271820,0.251752 left front font ',9' textcolor rgb '#404040' noenhanced
set label '16' at screen 0.413975,0.282005 left front font ',9' textcolor rgb '#404040' noenhanced
set label '32' at screen 0.623894,0.343906 left front font ',9' textcolor rgb '#404040' noenhanced
set label '64' at screen 0.593688,0.500585 left front font ',9' textcolor rgb '#404040' noenhanced
set label '128' at screen 0.634917,0.616128 left front font ',9' textcolor rgb '#404040' noenhanced
set label '256' at screen 0.647170,0.743042 left front font ',9' textcolor rgb '#404040' noenhanced
set label '64' at screen 0.537002,0.521352 left front font ',9' textcolor rgb '#404040' noenhanced
set label '128' at screen 0.586400,0.632325 left front font ',9' textcolor rgb '#404040' noenhanced
set label '256' at screen 0.595435,0.759949 left front font ',9' textcolor rgb '#404040' noenhanced
set label '64' at screen 0.490465,0.540281 left front font ',9' textcolor rgb '#404040' noenhanced
set label '128' at screen 0.536645,0.650475 left front font ',9' textcolor rgb '#404040' noenhanced
set label '256' at screen 0.547784,0.777030 left front font ',9' textcolor rgb '#404040' noenhanced
set label '1' at screen 0.078549,0.305804 left front font ',9' textcolor rgb '#404040' noenhanced
set label '2' at screen 0.112529,0.323211 left front font ',9' textcolor rgb '#404040' noenhanced
set label '4' at screen 0.155353,0.330185 left front font ',9' textcolor rgb '#404040' noenhanced
set label '8' at screen 0.225283,0.351841 left front font ',9' textcolor rgb '#404040' noenhanced
set label '16' at screen 0.326594,0.398243 left front font ',9' textcolor rgb '#404040' noenhanced
set label '64' at screen 0.438730,0.563960 left front font ',9' textcolor rgb '#404040' noenhanced
set label '128' at screen 0.484167,0.671707 left front font ',9' textcolor rgb '#404040' noenhanced
set label '256' at screen 0.494069,0.798273 left front font ',9' textcolor rgb '#404040' noenhanced
plot data index 0 using 1:2 with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 notitle, \
     data index 1 using 1:2 with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 notitle, \
     data index 2 using 1:2 with linespoints lc rgb '#009E73' pt 9 ps 1.1*k dt 4 lw 1.8 notitle, \
     data index 3 using 1:2 with linespoints lc rgb '#000000' pt 11 ps 1.1*k dt 3 lw 1.8 notitle, \
     data index 4 using 1:2 with points lc rgb '#000000' pt 6 ps 2.2*k lw 1.4 notitle, \
     data index 5 using 1:2 with points lc rgb '#000000' pt 4 ps 2.8*k lw 1.4 notitle
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
set key at screen 0.764909,0.853357 left top vertical Left reverse noenhanced samplen 2.5 spacing 1.35 maxcols 1
plot NaN notitle, \
     keyentry with linespoints lc rgb '#0072B2' pt 7 ps 1.1*k dt 1 lw 1.8 title 'span 500G', \
     keyentry with linespoints lc rgb '#D55E00' pt 5 ps 1.1*k dt 2 lw 1.8 title 'span 1000G', \
     keyentry with linespoints lc rgb '#009E73' pt 9 ps 1.1*k dt 4 lw 1.8 title 'span 2000G', \
     keyentry with linespoints lc rgb '#000000' pt 11 ps 1.1*k dt 3 lw 1.8 title 'span 4000G', \
     keyentry with points lc rgb '#000000' pt 6 ps 2.2*k lw 1.4 title 'saturates here (knee)', \
     keyentry with points lc rgb '#000000' pt 4 ps 2.8*k lw 1.4 title 'max IOPS, mean <= 10 ms'
unset multiplot
set output
reset
picture = picture + 1
if (picture <= words(formats)) load 'response-randread-4k.gp'
undefine picture
