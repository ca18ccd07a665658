/** What a page shows while there is nothing to show, and when something did not work. */
import { type ReactNode, useEffect, useState } from 'react';
import { RequestRefused, SignedOut, Unreachable } from '../api.ts';
import { keyed } from '../model/keyed.ts';
import { span, timeAgo } from '../model/times.ts';
import { wayIn } from '../sign-in/way-in.ts';

export function Loading({ what }: { readonly what: string }) {
  return (
    <p className="state" role="status">
      Asking for {what} …
    </p>
  );
}

interface EmptyProps {
  readonly title: string;
  /** It is all that the page has. @default false */
  readonly page?: boolean;
  readonly children?: ReactNode;
}

export function Empty({ title, page = false, children }: EmptyProps) {
  return (
    <div className="state">
      {page ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
    </div>
  );
}

/** A request for something to show that failed: in the words of the API, with what to do. */
export function Trouble({ error, what }: { readonly error: unknown; readonly what: string }) {
  return <Failed error={error} title={titleOf(error, what)} detail={detailOf(error)} />;
}

/** Something that a person asked for, as `Pause`, and that was not accepted, or of which no one knows whether it was. */
export function NotAccepted({ error, what }: { readonly error: unknown; readonly what: string }) {
  const lost = error instanceof Unreachable || (error instanceof RequestRefused && error.problem.status >= 500);
  const title = lost ? `It is not known whether ${what} was accepted` : `${what} was not accepted`;
  const next = 'Read what the page shows once it is answered again, before you ask for it again.';
  const why = error instanceof Unreachable ? 'Nothing answered.' : detailOf(error);
  return <Failed error={error} title={title} detail={lost ? `${why} ${next}` : why} />;
}

interface FailedProps {
  readonly error: unknown;
  readonly title: string;
  readonly detail: string;
}

function Failed({ error, title, detail }: FailedProps) {
  return (
    <div className="notice bad" role="alert">
      <span aria-hidden="true">✗</span>
      <div>
        <strong>{title}</strong>
        <p>{detail}</p>
        {error instanceof RequestRefused && error.problem.faults && (
          <ul>
            {keyed(error.problem.faults, ({ path, reason }) => `${path} ${reason}`).map(
              ([key, { path, reason, fix }]) => (
                <li key={key}>
                  <code>{path}</code> {reason}
                  {fix !== undefined && <span className="hint"> → {fix}</span>}
                </li>
              ),
            )}
          </ul>
        )}
      </div>
    </div>
  );
}

function titleOf(error: unknown, what: string): string {
  if (error instanceof Unreachable) return 'Nothing answers';
  if (error instanceof SignedOut) return 'Your session has ended';
  if (error instanceof RequestRefused && error.problem.status === 403) return 'You lack the role for this';
  if (error instanceof RequestRefused && error.problem.status === 404) return 'There is no such thing';
  return `Kubeloom could not show ${what}`;
}

function detailOf(error: unknown): string {
  if (error instanceof Unreachable)
    return 'The platform does not answer. You see the last known state; the console keeps trying, less often each time.';
  if (error instanceof SignedOut)
    return wayIn().toSignIn
      ? 'Sign in again: you come back to this place.'
      : 'Run `kubeloom console` and open the address that it prints.';
  if (error instanceof RequestRefused && error.problem.status >= 500)
    return `${error.problem.detail} (request ${error.problem.instance})`;
  return error instanceof Error ? error.message : String(error);
}

/** The state of a query of the page. */
export interface QueryState<Data = unknown> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly dataUpdatedAt: number;
}

interface AnsweredProps<Data> {
  readonly of: Pick<QueryState<Data>, 'data' | 'error'>;
  readonly what: string;
  readonly children: (data: Data) => ReactNode;
}

/** What was answered, also while it is not answered again; before that, that it is asked for, or why it cannot be shown. */
export function Answered<Data>({ of: { data, error }, what, children }: AnsweredProps<Data>) {
  return (
    <>
      {error ? <Trouble error={error} what={what} /> : data === undefined && <Loading what={what} />}
      {data !== undefined && children(data)}
    </>
  );
}

/** How old the oldest is of what one sees. */
export function UpdatedAll({ of }: { readonly of: readonly QueryState[] }) {
  const at = Math.min(...of.map(({ dataUpdatedAt }) => dataUpdatedAt));
  return <Updated at={at} error={of.find(({ error }) => error)?.error} />;
}

/** How long ago it was. Who shows it needs no time, and is not drawn again for it. */
export function Ago({ at }: { readonly at: string }) {
  return timeAgo(at, useNow(10));
}

/** How old what one sees is; every few seconds, since each change of a page that no one uses costs as much as all else on it. */
export function Updated({ at, error }: { readonly at: number; readonly error: unknown }) {
  const now = useNow(4);
  const age = at === 0 ? 'not yet' : `${span(now - at)} ago`;
  return (
    <span className={error ? 'updated bad' : 'updated'}>
      {error ? <span aria-hidden="true">! </span> : null}
      {error ? `no answer; as it was ${age}` : `updated ${age}`}
    </span>
  );
}

/** The time, updated every `seconds`; not updated while the page is hidden. */
export function useNow(seconds = 1): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    watches.set(setNow, seconds);
    timer ??= window.setInterval(tick, 1000);
    return () => {
      watches.delete(setNow);
      if (watches.size > 0) return;
      window.clearInterval(timer);
      timer = undefined;
    };
  }, [seconds]);
  return now;
}

/** Who shows the time, and how often: all of a tick are drawn at once. */
const watches = new Map<(now: number) => void, number>();
let timer: number | undefined;
let ticks = 0;

function tick(): void {
  if (document.visibilityState !== 'visible') return;
  ticks += 1;
  const now = Date.now();
  for (const [show, seconds] of watches) if (ticks % seconds === 0) show(now);
}
