/** Where a drawing is in its frame, and how large: moved by pointer, wheel, buttons and keys, without drawing anything again but its size. */
import type { KeyboardEvent, MouseEvent, PointerEvent } from 'react';
import type { Box } from '../model/drawn.ts';

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

export class MovedDrawing {
  /** The frame, and what is moved in it, once they are there. */
  frame: HTMLElement | null = null;
  svg: SVGSVGElement | null = null;
  size: { readonly width: number; readonly height: number };
  #at = { x: 0, y: 0, scale: 1 };
  /** Where a pointer is that is down, and whether it has moved the drawing. */
  #held: { readonly x: number; readonly y: number; readonly drags: boolean } | undefined;
  /** Until someone moves it. */
  #fitted = true;

  constructor(size: MovedDrawing['size']) {
    this.size = size;
  }

  #place(next: { readonly x: number; readonly y: number; readonly scale?: number }): void {
    const before = this.#at.scale;
    this.#at = { ...this.#at, ...next };
    this.#fitted = false;
    const { svg } = this;
    const { x, y, scale } = this.#at;
    if (!svg) return;
    svg.style.transform = `translate(${x}px, ${y}px)`;
    if (scale === before && svg.style.width !== '') return;
    svg.style.width = `${this.size.width * scale}px`;
    svg.style.height = `${this.size.height * scale}px`;
    svg.classList.toggle('far', scale < readable);
  }

  #moveBy(dx: number, dy: number): void {
    this.#place({ x: this.#at.x + dx, y: this.#at.y + dy });
  }

  showAll(): void {
    const { frame, size } = this;
    if (!frame) return;
    const byWidth = Math.min(largest, frame.clientWidth / size.width);
    // No higher than what it shows.
    frame.style.maxHeight = `${Math.ceil(Math.max(200, size.height * byWidth))}px`;
    const scale = Math.min(byWidth, frame.clientHeight / size.height);
    // A link that got the focus may have scrolled it.
    frame.scrollTo(0, 0);
    this.#place({ x: Math.max(0, (frame.clientWidth - size.width * scale) / 2), y: 0, scale });
    this.#fitted = true;
  }

  /** After the frame got another width: what should be in view is, by as little as is needed; else all of it, unless someone moved it. */
  resized(shown: Box | undefined): void {
    if (!shown) {
      if (this.#fitted) this.showAll();
      return;
    }
    const { clientWidth = 0, clientHeight = 0 } = this.frame ?? {};
    const { x, y, scale } = this.#at;
    const moveTo = (from: number, size: number, room: number): number =>
      Math.max(Math.min(0, room - 20 - (from + size)), Math.min(from, 20) - from);
    const dx = moveTo(x + shown.x * scale, shown.width * scale, clientWidth);
    const dy = moveTo(y + shown.y * scale, shown.height * scale, clientHeight);
    if (dx !== 0 || dy !== 0) this.#moveBy(dx, dy);
  }

  /** Around a point of the frame. @default its middle */
  zoom(by: number, px = (this.frame?.clientWidth ?? 0) / 2, py = (this.frame?.clientHeight ?? 0) / 2): void {
    const { x, y, scale } = this.#at;
    const next = Math.min(4, Math.max(0.1, scale * by));
    this.#place({ scale: next, x: px - ((px - x) * next) / scale, y: py - ((py - y) * next) / scale });
  }

  readonly wheel = (event: WheelEvent): void => {
    // Without a key the page scrolls, as everywhere.
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const { left, top } = this.frame?.getBoundingClientRect() ?? { left: 0, top: 0 };
    this.zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event.clientX - left, event.clientY - top);
  };

  readonly grab = (event: PointerEvent): void => {
    if (event.button === 0) this.#held = { x: event.clientX, y: event.clientY, drags: false };
  };

  readonly drag = (event: PointerEvent): void => {
    const from = this.#held;
    if (!from || event.buttons === 0) return;
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    if (!from.drags && Math.hypot(dx, dy) <= stillness) return;
    // Also where it leaves the frame.
    if (!from.drags) this.frame?.setPointerCapture(event.pointerId);
    this.#moveBy(dx, dy);
    this.#held = { x: event.clientX, y: event.clientY, drags: true };
  };

  /** What moved the drawing chooses no node. */
  readonly click = (event: MouseEvent): void => {
    // A key clicks, too.
    if (this.#held?.drags && event.detail > 0) {
      event.preventDefault();
      event.stopPropagation();
    }
    this.#held = undefined;
  };

  readonly press = (event: KeyboardEvent): void => {
    const step = steps[event.key];
    if (step) this.#moveBy(...step);
    else if (event.key === '+') this.zoom(1.2);
    else if (event.key === '-') this.zoom(1 / 1.2);
    else if (event.key === '0') this.showAll();
    else return;
    event.preventDefault();
  };
}
