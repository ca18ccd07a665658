/** Lines of events: each with its time, which is its address, and with what it is about, where the line before does not say it. */
import type { Name } from '../model/commands.ts';
import { countOf } from '../model/count-of.ts';
import type { EventLine, ListedEvent } from '../model/event-groups.ts';
import { clock, lasted } from '../model/times.ts';
import { hrefOf } from '../routes.ts';

interface EventLinesProps {
  readonly lines: readonly EventLine[];
  /** The manifest that they are of. */
  readonly of: Name | undefined;
  /** Id of the one that the address is of. */
  readonly linked: string | undefined;
  /** Times are counted from here. */
  readonly start: string | undefined;
  readonly now: number;
  /** The page already names their manifest. @default false */
  readonly inRun?: boolean;
}

const signs = { info: '', warning: '!', error: '✗' } as const;

export function EventLines({ lines, of, linked, start, now, inRun = false }: EventLinesProps) {
  return lines.map(({ event, cluster, plan }, index) => (
    <li
      key={event.id ?? `${event.at} ${index}`}
      className={event.level}
      aria-current={isOneOf(linked, [event, ...plan]) ? 'true' : undefined}
    >
      <EventTime event={event} of={of} start={start} now={now} />
      <span className="event-sign">
        <span aria-hidden="true">{signs[event.level]}</span>
        {event.level !== 'info' && <span className="hidden">{event.level}: </span>}
      </span>
      <span>
        {!inRun && event.manifest !== undefined && (
          <a href={hrefOf(['manifests', event.namespace ?? 'default', event.manifest])}>{event.manifest}</a>
        )}{' '}
        {(cluster ?? event.stage) !== undefined && !isText(event) && (
          <span className="event-place">{[cluster, event.stage].filter(Boolean).join('/')} </span>
        )}
        {isText(event) ? <span className="lines">{event.message}</span> : withoutRepeatedStage(event)}
        {plan.length > 0 && (
          <details open={isOneOf(linked, plan)}>
            <summary>{countOf(plan.length, 'sentence')} of the plan</summary>
            <ul className="plan-sentences">
              {plan.map((sentence) => (
                <li key={sentence.id ?? sentence.message}>{sentence.message}</li>
              ))}
            </ul>
          </details>
        )}
      </span>
    </li>
  ));
}

/** Several lines, which say where it was. */
const isText = ({ message }: ListedEvent): boolean => message.includes('\n');

const isOneOf = (linked: string | undefined, events: readonly ListedEvent[]): boolean =>
  linked !== undefined && events.some(({ id }) => id === linked);

interface EventTimeProps extends Pick<EventLinesProps, 'of' | 'start' | 'now'> {
  readonly event: ListedEvent;
}

/** It leads to the event, where that has an address. */
function EventTime({ event: { id, at }, of, start, now }: EventTimeProps) {
  const text = start === undefined ? clock(at, now) : lasted(Math.max(0, (Date.parse(at) - Date.parse(start)) / 1000));
  const time = (
    <time dateTime={at} title={at}>
      {text}
    </time>
  );
  if (of === undefined || id === undefined) return time;
  return <a href={hrefOf(['manifests', of.namespace, of.name, 'events'], { from: at, event: id })}>{time}</a>;
}

/** The stage is already shown before the message. */
function withoutRepeatedStage({ stage, message }: ListedEvent): string {
  return stage !== undefined && message.startsWith(`${stage} `) ? message.slice(stage.length + 1) : message;
}
