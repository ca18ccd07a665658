/** One event for people: time since the start, cluster and stage, what happened. */
import type { RunEvent } from '#contracts/records.ts';
import { harmless, terminalWidth, visible, wrap } from './layout.ts';
import { paint } from './output.ts';
import { duration } from './times.ts';

const timeWidth = 10;

/** One line where nothing limits its width; on a terminal as many as it takes, a sentence on each. */
export function eventLines(event: RunEvent, started: number, width: number = terminalWidth()): string[] {
  const elapsed = duration(Math.max(0, Date.parse(event.at) - started)).padStart(timeWidth);
  const place = [event.cluster, event.stage].filter(Boolean).join('/');
  const head = `${paint('dim', elapsed)} ${marks[event.level]()} ${place ? `${paint('cyan', place)}  ` : ''}`;
  const message = harmless(withoutRepeatedStage(event));
  const indent = timeWidth + 3;
  if (visible(head) + visible(message) <= width) return [head + message];
  const [first = '', ...rest] = message.split(/(?<=;) /);
  return [
    ...wrap(head + first, indent, width),
    ...rest.flatMap((sentence) => wrap(`${' '.repeat(indent)}${sentence}`, indent + 2, width)),
  ];
}

const marks = {
  error: () => paint('red', '✗'),
  warning: () => paint('yellow', '!'),
  info: () => paint('dim', '·'),
} as const satisfies Record<RunEvent['level'], () => string>;

/** The stage is already printed before the message. */
function withoutRepeatedStage({ stage, message }: RunEvent): string {
  return stage !== undefined && message.startsWith(`${stage} `) ? message.slice(stage.length + 1) : message;
}
