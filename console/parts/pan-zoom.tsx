/**
 * A drawing that is moved and enlarged by pointer, wheel, buttons and keys. It is a layer of its own, which the browser moves as it is: only another
 * size is drawn again, without what no one could read.
 */
import { type KeyboardEvent, type MouseEvent, type PointerEvent, type ReactNode, useEffect, useRef } from 'react';
import type { Box } from '../model/drawn.ts';

interface PanZoomProps {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  /** What should be in view; undefined: nothing of it more than the rest. */
  readonly shown?: Box | undefined;
  /** Below it. */
  readonly legend: ReactNode;
  readonly children: ReactNode;
}

/** Below this size signs in nodes are spots. */
const readable = 0.5;
/** It is not made larger than this to fill the window. */
const largest = 1.25;
/** A pointer that moves by less clicks; in pixels. */
const stillness = 4;

const steps: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [60, 0],
  ArrowRight: [-60, 0],
  ArrowUp: [0, 60],
  ArrowDown: [0, -60],
};

export function PanZoom({ width, height, title, shown, legend, children }: PanZoomProps) {
  const frame = useRef<HTMLElement>(null);
  const moved = useRef<SVGSVGElement>(null);
  const at = useRef({ x: 0, y: 0, scale: 1 });
  /** Where a pointer is that is down, and whether it has moved the drawing. */
  const held = useRef<{ x: number; y: number; drags: boolean }>(undefined);
  /** Until someone moves it. */
  const fitted = useRef(true);
  const place = (next: Partial<typeof at.current>): void => {
    const before = at.current.scale;
    at.current = { ...at.current, ...next };
    fitted.current = false;
    const { x, y, scale } = at.current;
    const svg = moved.current;
    if (!svg) return;
    svg.style.transform = `translate(${x}px, ${y}px)`;
    if (scale === before && svg.style.width !== '') return;
    svg.style.width = `${width * scale}px`;
    svg.style.height = `${height * scale}px`;
    svg.classList.toggle('far', scale < readable);
  };
  const showAll = (): void => {
    const { current: element } = frame;
    if (!element) return;
    const byWidth = Math.min(largest, element.clientWidth / width);
    // No higher than what it shows.
    element.style.maxHeight = `${Math.ceil(Math.max(200, height * byWidth))}px`;
    const scale = Math.min(byWidth, element.clientHeight / height);
    // A link that got the focus may have scrolled it.
    element.scrollTo(0, 0);
    place({ x: Math.max(0, (element.clientWidth - width * scale) / 2), y: 0, scale });
    fitted.current = true;
  };
  /** By as little as is needed. */
  const showBox = (box: Box): void => {
    const { clientWidth = 0, clientHeight = 0 } = frame.current ?? {};
    const { x, y, scale } = at.current;
    const moveTo = (from: number, size: number, room: number): number =>
      Math.max(Math.min(0, room - 20 - (from + size)), Math.min(from, 20) - from);
    const by = {
      x: moveTo(x + box.x * scale, box.width * scale, clientWidth),
      y: moveTo(y + box.y * scale, box.height * scale, clientHeight),
    };
    if (by.x !== 0 || by.y !== 0) place({ x: x + by.x, y: y + by.y });
  };
  /** Around a point of the frame. */
  const zoom = (
    by: number,
    px = (frame.current?.clientWidth ?? 0) / 2,
    py = (frame.current?.clientHeight ?? 0) / 2,
  ) => {
    const { x, y, scale } = at.current;
    const next = Math.min(4, Math.max(0.1, scale * by));
    place({ scale: next, x: px - ((px - x) * next) / scale, y: py - ((py - y) * next) / scale });
  };
  const latest = useRef({ zoom, showAll, showBox, shown });
  latest.current = { zoom, showAll, showBox, shown };
  // biome-ignore lint/correctness/useExhaustiveDependencies: fitted again when the size of the drawing changes
  useEffect(() => latest.current.showAll(), [width, height]);
  // Where it gets another size, as next to the card of a node.
  useEffect(() => {
    const { current: element } = frame;
    if (!element) return;
    let before = element.clientWidth;
    const sized = new ResizeObserver(() => {
      if (element.clientWidth === before) return;
      before = element.clientWidth;
      const { current: now } = latest;
      if (now.shown) now.showBox(now.shown);
      else if (fitted.current) now.showAll();
    });
    sized.observe(element);
    return () => sized.disconnect();
  }, []);
  useEffect(() => {
    const element = frame.current;
    const wheel = (event: WheelEvent): void => {
      // Without a key the page scrolls, as everywhere.
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const { left, top } = element?.getBoundingClientRect() ?? { left: 0, top: 0 };
      latest.current.zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event.clientX - left, event.clientY - top);
    };
    element?.addEventListener('wheel', wheel, { passive: false });
    return () => element?.removeEventListener('wheel', wheel);
  }, []);
  const grab = (event: PointerEvent): void => {
    if (event.button === 0) held.current = { x: event.clientX, y: event.clientY, drags: false };
  };
  const drag = (event: PointerEvent): void => {
    const { current: from } = held;
    if (!from || event.buttons === 0) return;
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    if (!from.drags && Math.hypot(dx, dy) <= stillness) return;
    // Also where it leaves the frame.
    if (!from.drags) frame.current?.setPointerCapture(event.pointerId);
    place({ x: at.current.x + dx, y: at.current.y + dy });
    held.current = { x: event.clientX, y: event.clientY, drags: true };
  };
  /** What moved the drawing chooses no node. */
  const click = (event: MouseEvent): void => {
    // A key clicks, too.
    if (held.current?.drags && event.detail > 0) {
      event.preventDefault();
      event.stopPropagation();
    }
    held.current = undefined;
  };
  const press = (event: KeyboardEvent): void => {
    const step = steps[event.key];
    if (step) place({ x: at.current.x + step[0], y: at.current.y + step[1] });
    else if (event.key === '+') zoom(1.2);
    else if (event.key === '-') zoom(1 / 1.2);
    else if (event.key === '0') showAll();
    else return;
    event.preventDefault();
  };
  return (
    <div className="drawing">
      <section
        ref={frame}
        className="drawing-frame"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what is moved by keys must be reached by keyboard
        tabIndex={0}
        aria-label={`${title}. Arrows move it, + and - change its size, 0 shows all of it.`}
        onPointerDown={grab}
        onPointerMove={drag}
        onClickCapture={click}
        onDragStart={(event) => event.preventDefault()}
        onKeyDown={press}
      >
        {/* biome-ignore lint/a11y/noSvgWithoutTitle: the region around it has its name, and a title would be shown wherever the pointer is */}
        <svg ref={moved} viewBox={`0 0 ${width} ${height}`}>
          {children}
        </svg>
      </section>
      <div className="drawing-foot">
        {legend}
        <span className="drawing-buttons">
          <button type="button" aria-label="Larger" onClick={() => zoom(1.2)}>
            +
          </button>
          <button type="button" aria-label="Smaller" onClick={() => zoom(1 / 1.2)}>
            −
          </button>
          <button type="button" onClick={showAll}>
            Show all
          </button>
        </span>
      </div>
    </div>
  );
}
