/**
 * A drawing that is moved and enlarged by pointer, wheel, buttons and keys. It is a layer of its own, which the browser moves as it is: only another
 * size is drawn again, without what no one could read.
 */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Box } from '../model/drawn.ts';
import { MovedDrawing } from './moved-drawing.ts';

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

export function PanZoom({ width, height, title, shown, legend, children }: PanZoomProps) {
  const drawing = useDrawing({ width, height }, shown);
  return (
    <div className="drawing">
      <section
        ref={(element) => {
          drawing.frame = element;
        }}
        className="drawing-frame"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what is moved by keys must be reached by keyboard
        tabIndex={0}
        aria-label={`${title}. Arrows move it, + and - change its size, 0 shows all of it.`}
        onPointerDown={drawing.grab}
        onPointerMove={drawing.drag}
        onClickCapture={drawing.click}
        onDragStart={(event) => event.preventDefault()}
        onKeyDown={drawing.press}
      >
        {/* biome-ignore lint/a11y/noSvgWithoutTitle: the region around it has its name, and a title would be shown wherever the pointer is */}
        <svg
          ref={(element) => {
            drawing.svg = element;
          }}
          viewBox={`0 0 ${width} ${height}`}
        >
          {children}
        </svg>
      </section>
      <div className="drawing-foot">
        {legend}
        <span className="drawing-buttons">
          <button type="button" aria-label="Larger" onClick={() => drawing.zoom(1.2)}>
            +
          </button>
          <button type="button" aria-label="Smaller" onClick={() => drawing.zoom(1 / 1.2)}>
            −
          </button>
          <button type="button" onClick={() => drawing.showAll()}>
            Show all
          </button>
        </span>
      </div>
    </div>
  );
}

/** Fitted again when its size changes, and placed again when its frame gets another one, as next to the card of a node. */
function useDrawing({ width, height }: MovedDrawing['size'], shown: Box | undefined): MovedDrawing {
  const [drawing] = useState(() => new MovedDrawing({ width, height }));
  const wanted = useRef(shown);
  wanted.current = shown;
  useEffect(() => {
    drawing.size = { width, height };
    drawing.showAll();
  }, [drawing, width, height]);
  useEffect(() => {
    const { frame } = drawing;
    if (!frame) return;
    let before = frame.clientWidth;
    const sized = new ResizeObserver(() => {
      if (frame.clientWidth === before) return;
      before = frame.clientWidth;
      drawing.resized(wanted.current);
    });
    sized.observe(frame);
    frame.addEventListener('wheel', drawing.wheel, { passive: false });
    return () => {
      sized.disconnect();
      frame.removeEventListener('wheel', drawing.wheel);
    };
  }, [drawing]);
  return drawing;
}
