/**
 * A drawing that is moved and enlarged by pointer, wheel, buttons and keys. It is a layer of its own, which the browser moves as it is: only another
 * size is drawn again, without what no one could read.
 */
import { type KeyboardEvent, type PointerEvent, type ReactNode, useEffect, useRef } from 'react';

interface PanZoomProps {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  readonly children: ReactNode;
}

/** Below this size signs in nodes are spots. */
const readable = 0.5;

const steps: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ...{ ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] },
};

export function PanZoom({ width, height, title, children }: PanZoomProps) {
  const frame = useRef<HTMLElement>(null);
  const moved = useRef<SVGSVGElement>(null);
  const at = useRef({ x: 0, y: 0, scale: 1 });
  const held = useRef<{ x: number; y: number }>(undefined);
  const place = (next: Partial<typeof at.current>): void => {
    const before = at.current.scale;
    at.current = { ...at.current, ...next };
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
    const { clientWidth = width, clientHeight = height } = frame.current ?? {};
    const scale = Math.min(1.3, clientWidth / width, clientHeight / height);
    // A link that got the focus may have scrolled it.
    frame.current?.scrollTo(0, 0);
    place({ x: (clientWidth - width * scale) / 2, y: 0, scale });
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
  const latest = useRef({ zoom, showAll });
  latest.current = { zoom, showAll };
  // biome-ignore lint/correctness/useExhaustiveDependencies: fitted again when the size of the drawing changes
  useEffect(() => latest.current.showAll(), [width, height]);
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
    if (event.button === 0) held.current = { x: event.clientX, y: event.clientY };
  };
  const drag = (event: PointerEvent): void => {
    if (!held.current || event.buttons === 0) return;
    place({ x: at.current.x + event.clientX - held.current.x, y: at.current.y + event.clientY - held.current.y });
    held.current = { x: event.clientX, y: event.clientY };
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
      <div className="drawing-buttons">
        <button type="button" aria-label="Larger" onClick={() => zoom(1.2)}>
          +
        </button>
        <button type="button" aria-label="Smaller" onClick={() => zoom(1 / 1.2)}>
          −
        </button>
        <button type="button" onClick={showAll}>
          Show all
        </button>
      </div>
      <section
        ref={frame}
        className="drawing-frame"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what is moved by keys must be reached by keyboard
        tabIndex={0}
        aria-label={`${title}. Arrows move it, + and - change its size, 0 shows all of it.`}
        style={{ height: Math.min(640, Math.max(260, height)) }}
        onPointerDown={grab}
        onPointerMove={drag}
        onKeyDown={press}
      >
        {/* biome-ignore lint/a11y/noSvgWithoutTitle: the region around it has its name, and a title would be shown wherever the pointer is */}
        <svg ref={moved} viewBox={`0 0 ${width} ${height}`}>
          {children}
        </svg>
      </section>
    </div>
  );
}
