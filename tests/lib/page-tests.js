/* SPDX-License-Identifier: MIT */
/* Uses the page of a report as a reader would, and leaves what it found in the page as JSON. */
(function () {
	"use strict";

	var told = {errors: [], refused: []};
	var copied = null;

	window.addEventListener("error", function (e) {
		told.errors.push(e.message);
	});
	document.addEventListener("securitypolicyviolation", function (e) {
		told.refused.push(e.violatedDirective + " " + e.blockedURI);
	});

	function all(selector) {
		return Array.prototype.slice.call(document.querySelectorAll(selector));
	}

	function column(table, i) {
		return Array.prototype.map.call(table.tBodies[0].rows, function (row) {
			return row.cells[i].textContent;
		});
	}

	function headings(table) {
		return Array.prototype.map.call(table.tHead.rows[0].cells, function (cell) {
			return cell.textContent;
		});
	}

	/* Each click on a heading, and the column behind it. */
	function sortTwice(table, name) {
		var i = headings(table).indexOf(name), head = table.tHead.rows[0].cells[i], up;

		head.click();
		up = column(table, i);
		head.click();
		return {up: up, down: column(table, i), sort: head.getAttribute("aria-sort")};
	}

	/* The same with words before the numbers. */
	function sortWords(table, name) {
		var i = headings(table).indexOf(name);

		["iodepth 128", "9.90e+15", "beyond 64", "iodepth 16"].forEach(function (text, row) {
			table.tBodies[0].rows[row].cells[i].textContent = text;
		});
		return sortTwice(table, name);
	}

	function point(spot, type) {
		spot.dispatchEvent(new PointerEvent(type, {bubbles: true, pointerType: "mouse"}));
	}

	function tipText() {
		var tip = document.querySelector(".tip");

		return tip && !tip.hidden ? tip.textContent : null;
	}

	function hover() {
		var spots = all(".spot"), spot = spots[0], out = {spots: spots.length};

		if (!spot)
			return out;
		out.title = spot.querySelector("title").textContent;
		point(spot, "pointerover");
		out.text = tipText();
		out.inside = (function () {
			var tip = document.querySelector(".tip").getBoundingClientRect();
			var box = spot.closest("figure").getBoundingClientRect();

			return tip.left >= box.left - 1 && tip.right <= box.right + 1;
		})();
		out.titleLeft = spot.querySelector("title") !== null;
		point(document.body, "pointerover");
		out.behind = tipText();
		spots[spots.length - 1].dispatchEvent(new MouseEvent("click", {bubbles: true}));
		out.tapped = tipText();
		document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true}));
		out.escaped = tipText();
		return out;
	}

	function copyTable(table) {
		try {
			Object.defineProperty(navigator, "clipboard", {value: {writeText: function (text) {
				copied = text;
				return Promise.resolve();
			}}});
		} catch (e) {
			told.errors.push("no clipboard to stand in: " + e.message);
		}
		table.parentNode.nextElementSibling.querySelector("button").click();
		return copied;
	}

	function foldedAfter(type) {
		window.dispatchEvent(new Event(type));
		return all("details:not([open])").length;
	}

	function repeatedIds() {
		var seen = {};

		return all("[id]").filter(function (e) {
			var again = seen[e.id];

			seen[e.id] = true;
			return again;
		}).map(function (e) {
			return e.id;
		});
	}

	function outside() {
		return all("[src], [href]").map(function (e) {
			return e.getAttribute("src") || e.getAttribute("href");
		}).filter(function (to) {
			return to[0] !== "#";
		});
	}

	/* What a link or a use of the page leads to is there. */
	function dangling() {
		return all("[href]").map(function (e) {
			return e.getAttribute("href").slice(1);
		}).filter(function (id) {
			return !document.getElementById(id);
		});
	}

	function rowsOfPoints() {
		return all("#tables tbody tr").map(function (row) {
			return Array.prototype.map.call(row.cells, function (cell) {
				return cell.textContent;
			}).slice(0, -1).join(" ");
		});
	}

	window.addEventListener("load", function () {
		var tables = all("#tables table"), pre = document.createElement("pre");

		told.loadMs = Math.round(performance.now());
		told.width = [window.innerWidth, document.documentElement.scrollWidth];
		told.scripts = all("script").length;
		told.bold = all("section b, section i, section img, header b").length -
			all(".verdict b").length;
		told.handlers = all("*").filter(function (e) {
			return Array.prototype.some.call(e.attributes, function (a) {
				return /^on/i.test(a.name) || a.name === "style";
			});
		}).length;
		told.sections = all("section").map(function (s) {
			return s.id;
		});
		told.figures = all("figure").length;
		told.drawn = all("figure svg").length;
		told.captions = all("figure figcaption p:first-child").length;
		told.rows = rowsOfPoints();
		told.ids = repeatedIds();
		told.outside = outside();
		told.dangling = dangling();
		told.requests = performance.getEntriesByType("resource").length;
		told.folded = [all("details:not([open])").length, foldedAfter("beforeprint"),
			foldedAfter("afterprint")];
		if (tables.length) {
			told.headings = headings(tables[0]);
			told.iops = sortTwice(tables[0], "IOPS");
			told.copied = copyTable(tables[0]);
		}
		if (document.querySelector("tr.failed"))
			told.gaps = sortTwice(document.querySelector("tr.failed").closest("table"), "IOPS");
		if (document.querySelector(".lead table")) {
			told.spans = sortTwice(document.querySelector(".lead table"), "span");
			told.words = sortWords(document.querySelector(".lead table"), "span");
		}
		told.hover = hover();
		pre.id = "told";
		pre.textContent = JSON.stringify(told);
		document.body.appendChild(pre);
		/* Violations come as events, later. */
		setTimeout(function () {
			pre.textContent = JSON.stringify(told);
		}, 50);
	});
})();
