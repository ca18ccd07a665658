/** One event for people: time since the start, cluster and stage, what happened. */
import type { RunEvent } from '#contracts/records.ts';
import { harmless, terminalWidth, visible, wrap } from './layout.ts';
import { paint } from './output.ts';
import { duration } from './times.ts';

const timeWidth = 10;

/** A line for each of its message where nothing limits its width; on a terminal as many as it takes, a sentence on each. */
export function eventLines(event: RunEvent, started: number, width: number = terminalWidth()): string[] {
  const elapsed = duration(Math.max(0, Date.parse(event.at) - started)).padStart(timeWidth);
  const [first = '', ...rest] = harmless(event.message).split('\n');
  // Several lines are a text that says where it was.
  const place = rest.length > 0 ? '' : [event.cluster, event.stage].filter(Boolean).join('/');
  const head = `${paint('dim', elapsed)} ${marks[event.level]()} ${place ? `${paint('cyan', place)}  ` : ''}`;
  const indent = timeWidth + 3;
  const under = (line: string): string[] => wrap(`${' '.repeat(indent)}${line}`, indent + 2, width);
  if (rest.length > 0) return [...wrap(head + first, indent, width), ...rest.flatMap(under)];
  const message = withoutRepeatedStage(event.stage, first);
  if (visible(head) + visible(message) <= width) return [head + message];
  const [beginning = '', ...sentences] = message.split(/(?<=;) /);
  return [...wrap(head + beginning, indent, width), ...sentences.flatMap(under)];
}

const marks = {
  error: () => paint('red', '✗'),
  warning: () => paint('yellow', '!'),
  info: () => paint('dim', '·'),
} as const satisfies Record<RunEvent['level'], () => string>;

/** The stage is already printed before the message. */
function withoutRepeatedStage(stage: string | undefined, message: string): string {
  return stage !== undefined && message.startsWith(`${stage} `) ? message.slice(stage.length + 1) : message;
}
