/** Times for people. */

/** `4 s`, `3 min`, `2 h`, `5 d`. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 36 * 3600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}

/** `now`: ms. */
export function timeAgo(at: string, now: number): string {
  return `${span(now - Date.parse(at))} ago`;
}

/** `4.8 s`, `2 min 5 s`. */
export function lasted(seconds: number): string {
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** From so many minutes ago on. */
export const spans = { '15': '15 minutes', '60': 'an hour', '1440': 'a day', '10080': 'a week' } as const;

/** As events have it. */
export const isTime = (text: string | undefined): text is string =>
  text !== undefined && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text);

/** A time stays as it is; undefined for what is neither. `now`: ms. */
export function startOfSpan(minutes: string, now: number): string | undefined {
  if (isTime(minutes)) return minutes;
  return Object.hasOwn(spans, minutes) ? new Date(now - Number(minutes) * 60_000).toISOString() : undefined;
}

/** On the clock of the person who looks: `14:03:21`; of another day than that of `now`, with it: `23 Nov 14:03:21`. */
export function clock(at: string, now: number): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return at;
  const clockTime = time.toLocaleTimeString('en-GB');
  if (time.toDateString() === new Date(now).toDateString()) return clockTime;
  return `${time.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })} ${clockTime}`;
}

/** The clock of the person who looks, as `GMT+1`. */
export function zoneName(now: number): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' }).formatToParts(now);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
}
