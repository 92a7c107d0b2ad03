/* SPDX-License-Identifier: MIT */
/* Sorting and copying of tables, and values on hover. Without it tables are plain, and values show as titles. */
(function () {
	"use strict";

	var prefixes = {k: 1, m: 2, g: 3, t: 4, p: 5};

	/* A cell as a number: "4k", ">= 3905", "12.5%", "iodepth 128", "9.90e+15". NaN for other words and for what is not
	 * known. */
	function figure(text) {
		var m = /^(?:(?:iodepth|beyond|at least)\s+)*[~<>=\u2264\u2265\s]*(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*([kmgtp]?)(i?b)?(?=$|[\s%*@,;(:])/i.exec(text);

		if (!m)
			return NaN;
		return parseFloat(m[1]) * Math.pow(/^b$/i.test(m[3] || "") ? 1000 : 1024,
			prefixes[m[2].toLowerCase()] || 0);
	}

	/* What is not known goes last, whichever way it is sorted. */
	function compare(a, b, sign) {
		var x = figure(a), y = figure(b);

		if (!isNaN(x) && !isNaN(y))
			return sign * (x - y);
		if (isNaN(x) !== isNaN(y))
			return isNaN(x) ? 1 : -1;
		return sign * (a < b ? -1 : a > b ? 1 : 0);
	}

	function sort(table, column) {
		var head = table.tHead.rows[0].cells[column], body = table.tBodies[0];
		var sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
		var rows = Array.prototype.map.call(body.rows, function (row, i) {
			return {row: row, text: row.cells[column].textContent.trim(), at: i};
		});

		rows.sort(function (a, b) {
			return compare(a.text, b.text, sign) || a.at - b.at;
		});
		Array.prototype.forEach.call(table.tHead.rows[0].cells, function (cell) {
			cell.removeAttribute("aria-sort");
		});
		head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
		rows.forEach(function (r) {
			body.appendChild(r.row);
		});
	}

	function tsv(table) {
		return Array.prototype.map.call(table.rows, function (row) {
			return Array.prototype.map.call(row.cells, function (cell) {
				return cell.textContent.replace(/\s+/g, " ").trim();
			}).join("\t");
		}).join("\n") + "\n";
	}

	/* For browsers that hand out no clipboard to a page from a file. */
	function copyBySelection(text) {
		var area = document.createElement("textarea"), done = false;

		area.value = text;
		document.body.appendChild(area);
		area.select();
		try {
			done = document.execCommand("copy");
		} catch (e) {
			done = false;
		}
		area.remove();
		return done;
	}

	function copy(button, text) {
		function say(done) {
			button.textContent = done ? "Copied" : "The browser does not allow it";
			setTimeout(function () {
				button.textContent = "Copy table";
			}, 2000);
		}

		if (!navigator.clipboard) {
			say(copyBySelection(text));
			return;
		}
		navigator.clipboard.writeText(text).then(function () {
			say(true);
		}, function () {
			say(copyBySelection(text));
		});
	}

	function addTools(table) {
		var tools = document.createElement("p"), button = document.createElement("button");

		button.type = "button";
		button.textContent = "Copy table";
		button.addEventListener("click", function () {
			copy(button, tsv(table));
		});
		tools.className = "tools";
		tools.appendChild(button);
		tools.appendChild(document.createTextNode(" Click a heading to sort."));
		table.parentNode.after(tools);
		Array.prototype.forEach.call(table.tHead.rows[0].cells, function (cell, i) {
			cell.className += " sorts";
			cell.tabIndex = 0;
			cell.addEventListener("click", function () {
				sort(table, i);
			});
			cell.addEventListener("keydown", function (e) {
				if (e.key !== "Enter" && e.key !== " ")
					return;
				e.preventDefault();
				sort(table, i);
			});
		});
	}

	/* Values on hover and on tap. */
	var tip = document.createElement("div"), shown = null;

	tip.className = "tip";
	tip.hidden = true;
	tip.setAttribute("role", "status");

	/* The title would come up beside ours, later. */
	function textOf(spot) {
		var title = spot.querySelector("title");

		if (title) {
			spot.setAttribute("data-tip", title.textContent);
			title.remove();
		}
		return spot.getAttribute("data-tip");
	}

	function hide() {
		if (shown)
			shown.classList.remove("on");
		shown = null;
		tip.hidden = true;
	}

	/* Where points lie over each other, all of them. */
	function textsAt(spot, e) {
		var spots = document.elementsFromPoint(e.clientX, e.clientY).filter(function (other) {
			return other.matches(".spot") && other !== spot;
		}).slice(0, 4);

		return [spot].concat(spots).map(textOf).join("\n\n");
	}

	function show(spot, e) {
		var figure = spot.closest("figure"), box = figure.getBoundingClientRect();
		var at = spot.getBoundingClientRect(), left, top;

		if (spot === shown)
			return;
		hide();
		shown = spot;
		spot.classList.add("on");
		tip.textContent = textsAt(spot, e);
		figure.appendChild(tip);
		tip.hidden = false;
		tip.style.left = tip.style.top = "0";
		left = at.left + at.width / 2 - box.left - tip.offsetWidth / 2;
		left = Math.max(0, Math.min(left, box.width - tip.offsetWidth));
		top = at.top - box.top - tip.offsetHeight - 6;
		if (top < 0)
			top = at.bottom - box.top + 6;
		tip.style.left = left + "px";
		tip.style.top = top + "px";
	}

	function spotOf(e) {
		return e.target.closest ? e.target.closest(".spot") : null;
	}

	document.addEventListener("pointerover", function (e) {
		var spot = spotOf(e);

		if (spot)
			show(spot, e);
		else if (e.pointerType !== "touch")
			hide();
	});
	document.addEventListener("click", function (e) {
		var spot = spotOf(e);

		if (spot)
			show(spot, e);
		else
			hide();
	});
	document.addEventListener("keydown", function (e) {
		if (e.key === "Escape")
			hide();
	});

	/* Paper shows what is open. */
	var opened = [];

	addEventListener("beforeprint", function () {
		hide();
		opened = Array.prototype.slice.call(document.querySelectorAll("details:not([open])"));
		opened.forEach(function (d) {
			d.open = true;
		});
	});
	addEventListener("afterprint", function () {
		opened.forEach(function (d) {
			d.open = false;
		});
	});

	Array.prototype.forEach.call(document.querySelectorAll("table"), addTools);
})();
