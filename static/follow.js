/* Reloads a page that shows long work until the work is done. Without scripts a link does the same. */
"use strict";
if (document.querySelector("[data-follow]")) setTimeout(() => location.reload(), 2500);
