# Draws heat-randread-span1G in each of these formats: run gnuplot on this file in its own directory.
if (!exists('formats')) formats = 'png svg'
if (!exists('picture')) picture = 1
format = word(formats, picture)
set encoding utf8
if (format eq 'png') set terminal pngcairo noenhanced size 1100,687 font 'sans,11' background '#ffffff'
if (format eq 'svg') set terminal svg noenhanced size 1100,687 font 'sans-serif,11' fontscale 1.3 background '#ffffff'
if (format eq 'pdf') set terminal pdfcairo noenhanced size 11.00,6.87 font 'sans,11' fontscale 0.72 linewidth 1.5 background '#ffffff'
set output 'heat-randread-span1G.'.format
data = 'heat-randread-span1G.dat'
k = format eq 'svg' ? 0.8 : 1 # points of SVG are larger
set border 3 lc rgb '#606060'
set grid x y lc rgb '#d8d8d8' lt 1 lw 0.7
set tics nomirror out scale 0.6 textcolor rgb '#202020'
set errorbars small
unset key
set multiplot
set label 'randread span 1G: IOPS, MiB/s and latency by block size and iodepth' at screen 0.054545,0.957787 left font ',15' noenhanced
set label 'run 1: ult-lun-sizing on ULT array' at screen 0.054545,0.918486 left font ',11' textcolor rgb '#505050' noenhanced
set lmargin at screen 0.073273
set rmargin at screen 0.881818
set bmargin at screen 0.650655
set tmargin at screen 0.854440
unset logscale x
set xrange [-0.5:4.5]
set xtics norotate autojustify ('' 0, '' 1, '' 2, '' 3, '' 4)
unset logscale y
set yrange [-0.5:1.5]
set ytics norotate autojustify ('4k' 0, '64k' 1)
set label 'block size' at screen 0.022727,0.752547 center rotate noenhanced
set label 'IOPS' at screen 0.073273,0.871907 left font ',12' noenhanced
set palette defined (0 '#00204d', 1 '#414d6b', 2 '#7c7b78', 3 '#bcaf6f', 4 '#ffea46')
set logscale cb
set cbrange [60:2040]
set colorbox vertical user origin screen 0.896364, screen 0.650655 size screen 0.014545, screen 0.203785 noborder
set cbtics scale 0.5 ('100' 100, '200' 200, '500' 500, '1000' 1000, '2000' 2000)
set label 9 'IOPS (log)' at screen 0.968000,0.752547 center rotate noenhanced
plot data index 0 using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror notitle lc palette fs solid 1 noborder, \
     data index 0 using 1:5:($1-0.5):($1+0.5):($5-0.5):($5+0.5) with boxxyerror notitle fs empty border lc rgb '#D55E00' lw 2.5, \
     data index 0 using 1:4:($1-0.5):($1+0.5):($4-0.5):($4+0.5) with boxxyerror notitle fc rgb '#ececec' fs solid 1 noborder, \
     data index 0 using 1:4 with points notitle pt 2 ps 1.2*k lc rgb '#909090', \
     data index 0 using 1:2:6:7 with labels notitle noenhanced font ',11' tc rgb variable
unset label
unset arrow
unset object
set lmargin at screen 0.073273
set rmargin at screen 0.881818
set bmargin at screen 0.374090
set tmargin at screen 0.577875
unset logscale x
set xrange [-0.5:4.5]
set xtics norotate autojustify ('' 0, '' 1, '' 2, '' 3, '' 4)
unset logscale y
set yrange [-0.5:1.5]
set ytics norotate autojustify ('4k' 0, '64k' 1)
set label 'block size' at screen 0.022727,0.475983 center rotate noenhanced
set label 'MiB/s' at screen 0.073273,0.595342 left font ',12' noenhanced
set palette defined (0 '#00204d', 1 '#414d6b', 2 '#7c7b78', 3 '#bcaf6f', 4 '#ffea46')
set logscale cb
set cbrange [1.953125:50]
set colorbox vertical user origin screen 0.896364, screen 0.374090 size screen 0.014545, screen 0.203785 noborder
set cbtics scale 0.5 ('2' 2, '5' 5, '10' 10, '20' 20, '50' 50)
set label 9 'MiB/s (log)' at screen 0.953091,0.475983 center rotate noenhanced
plot data index 1 using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror notitle lc palette fs solid 1 noborder, \
     data index 1 using 1:5:($1-0.5):($1+0.5):($5-0.5):($5+0.5) with boxxyerror notitle fs empty border lc rgb '#D55E00' lw 2.5, \
     data index 1 using 1:4:($1-0.5):($1+0.5):($4-0.5):($4+0.5) with boxxyerror notitle fc rgb '#ececec' fs solid 1 noborder, \
     data index 1 using 1:4 with points notitle pt 2 ps 1.2*k lc rgb '#909090', \
     data index 1 using 1:2:6:7 with labels notitle noenhanced font ',11' tc rgb variable
unset label
unset arrow
unset object
set lmargin at screen 0.073273
set rmargin at screen 0.881818
set bmargin at screen 0.097525
set tmargin at screen 0.301310
unset logscale x
set xrange [-0.5:4.5]
set xtics norotate autojustify ('1' 0, '2' 1, '4' 2, '8' 3, '16' 4)
unset logscale y
set yrange [-0.5:1.5]
set ytics norotate autojustify ('4k' 0, '64k' 1)
set label 'iodepth (I/Os in flight, total over all workers)' at screen 0.477545,0.039301 center noenhanced
set label 'block size' at screen 0.022727,0.199418 center rotate noenhanced
set label 'mean latency' at screen 0.073273,0.318777 left font ',12' noenhanced
set palette defined (0 '#00204d', 1 '#414d6b', 2 '#7c7b78', 3 '#bcaf6f', 4 '#ffea46')
set logscale cb
set cbrange [0.9999648452:4.999891196]
set colorbox vertical user origin screen 0.896364, screen 0.097525 size screen 0.014545, screen 0.203785 noborder
set cbtics scale 0.5 ('1' 1, '1.5' 1.5, '2' 2, '3' 3, '4' 4)
set label 9 'ms (log)' at screen 0.960545,0.199418 center rotate noenhanced
plot data index 2 using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror notitle lc palette fs solid 1 noborder, \
     data index 2 using 1:5:($1-0.5):($1+0.5):($5-0.5):($5+0.5) with boxxyerror notitle fs empty border lc rgb '#D55E00' lw 2.5, \
     data index 2 using 1:4:($1-0.5):($1+0.5):($4-0.5):($4+0.5) with boxxyerror notitle fc rgb '#ececec' fs solid 1 noborder, \
     data index 2 using 1:4 with points notitle pt 2 ps 1.2*k lc rgb '#909090', \
     data index 2 using 1:2:6:7 with labels notitle noenhanced font ',11' tc rgb variable
unset label
unset arrow
unset object
unset multiplot
set output
reset
picture = picture + 1
if (picture <= words(formats)) load 'heat-randread-span1G.gp'
undefine picture
