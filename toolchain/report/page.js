"use strict";
// Without this script nodes are links to their panels; it adds zoom, pan and keys.
for (const view of document.querySelectorAll(".view")) {
  const graph = view.querySelector(".graph"), nodes = [...graph.querySelectorAll("a.node")];
  const [x0, y0, w0, h0] = graph.getAttribute("viewBox").split(" ").map(Number), size = {x: x0, y: y0, w: w0, h: h0};
  let seen = {...size};
  const show = () => {
    seen.w = Math.min(Math.max(seen.w, size.w / 40), size.w * 2);
    seen.h = size.h * (seen.w / size.w);
    graph.setAttribute("viewBox", [seen.x, seen.y, seen.w, seen.h].join(" "));
  };
  // One pixel of the screen in those of the picture.
  const scale = () => Math.max(seen.w / graph.clientWidth, seen.h / graph.clientHeight);
  const zoom = (by, x, y) => {
    const w = Math.min(Math.max(seen.w * by, size.w / 40), size.w * 2), real = w / seen.w;
    seen.x += (x - seen.x) * (1 - real);
    seen.y += (y - seen.y) * (1 - real);
    seen.w = w;
    show();
  };
  const middle = by => zoom(by, seen.x + seen.w / 2, seen.y + seen.h / 2);
  const fit = () => { seen = {...size}; show(); };
  const tools = view.querySelector(".tools");
  tools.hidden = false;
  tools.addEventListener("click", event => {
    const way = event.target.dataset.zoom;
    if (way === "in") middle(0.7);
    else if (way === "out") middle(1 / 0.7);
    else if (way === "fit") fit();
  });
  graph.addEventListener("wheel", event => {
    if (!event.ctrlKey && !event.metaKey) return; // else the page scrolls
    event.preventDefault();
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(graph.getScreenCTM().inverse());
    zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, at.x, at.y);
  }, {passive: false});
  let drag = null, moved = false;
  graph.addEventListener("pointerdown", event => {
    if (event.button === 0) drag = {x: event.clientX, y: event.clientY, from: {...seen}};
    moved = false;
  });
  graph.addEventListener("pointermove", event => {
    if (!drag) return;
    const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
    if (!moved && Math.abs(dx) + Math.abs(dy) < 5) return;
    if (!moved) graph.setPointerCapture(event.pointerId);
    moved = true;
    seen.x = drag.from.x - dx * scale();
    seen.y = drag.from.y - dy * scale();
    show();
  });
  for (const end of ["pointerup", "pointercancel"]) graph.addEventListener(end, () => { drag = null; });
  graph.addEventListener("dragstart", event => event.preventDefault());
  const choose = node => {
    const x = scrollX, y = scrollY;
    location.hash = node.getAttribute("href").slice(1);
    scrollTo(x, y);
  };
  graph.addEventListener("click", event => {
    const node = event.target.closest("a.node");
    if (!node) return;
    event.preventDefault();
    if (!moved) choose(node);
  });
  // Into the picture where a zoom has left it out.
  const reveal = node => {
    const box = node.getBBox(), x = box.x + box.width / 2, y = box.y + box.height / 2;
    if (x < seen.x || x > seen.x + seen.w || y < seen.y || y > seen.y + seen.h) {
      seen.x = x - seen.w / 2;
      seen.y = y - seen.h / 2;
      show();
    }
  };
  graph.addEventListener("keydown", event => {
    const at = nodes.indexOf(document.activeElement);
    const step = {ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1}[event.key];
    if (step && at >= 0) {
      const next = nodes[Math.min(Math.max(at + step, 0), nodes.length - 1)];
      next.focus({preventScroll: true});
      reveal(next);
    } else if (event.key === "+" || event.key === "=") middle(0.7);
    else if (event.key === "-") middle(1 / 0.7);
    else if (event.key === "0") fit();
    else return;
    event.preventDefault();
  });
  const mark = () => {
    for (const node of nodes) {
      if (node.getAttribute("href") === location.hash) { node.setAttribute("aria-current", "true"); reveal(node); }
      else node.removeAttribute("aria-current");
    }
  };
  addEventListener("hashchange", mark);
  addEventListener("beforeprint", fit);
  mark();
}
