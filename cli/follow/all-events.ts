/** The events of all manifests: printed page by page, and followed. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FeedEvent } from '#contracts/all-events.ts';
import type { CliClient } from '../connection/api-client.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { harmless } from '../print/layout.ts';
import { note, paint, print, printWrapped } from '../print/output.ts';

export interface AllEventsOptions {
  readonly namespace?: string;
  /** @default all of them */
  readonly manifest?: string;
  readonly follow?: boolean;
  readonly json?: boolean;
  readonly since?: string;
  readonly group?: string;
  readonly node?: string;
  readonly kind?: readonly string[];
  readonly run?: string;
}

/** Until the last one there is, or on and on. */
export async function allEvents(api: Pick<CliClient, 'listAllEvents'>, options: AllEventsOptions): Promise<void> {
  const { namespace, manifest, group, node, kind, follow } = options;
  if (options.run !== undefined)
    throw new CliError('--run is for the events of one manifest, without other filters', exitCodes.usage);
  const since = options.since === undefined ? undefined : startOf(options.since, Date.now());
  const filter = { namespace, manifest, group, node, since, ...(kind && { kind: [...kind] }) };
  let next: string | undefined;
  let shown = 0;
  for (;;) {
    const page = await api.listAllEvents({ ...filter, next });
    for (const event of page.items) options.json ? print(JSON.stringify(event)) : show(event);
    shown += page.items.length;
    next = page.next ?? next;
    if (page.more) continue;
    if (!follow) break;
    await sleep(1000);
  }
  if (shown === 0 && !options.json) note('no events');
}

/** `15m` is a quarter of an hour ago. All else is what the API takes. */
function startOf(text: string, now: number): string {
  const [, count, unit] = /^(\d{1,5})([smhd])$/.exec(text) ?? [];
  const seconds = { s: 1, m: 60, h: 3600, d: 86_400 }[unit ?? ''];
  return seconds === undefined ? text : new Date(now - Number(count) * seconds * 1000).toISOString();
}

function show(event: FeedEvent): void {
  const { at, level, namespace, manifest, cluster, stage, message } = event;
  const of = [namespace, manifest].filter(Boolean).join('/');
  const place = [of, [cluster, stage].filter(Boolean).join('/')].filter(Boolean).join(' ');
  const mark = level === 'info' ? '' : `${paint(level === 'error' ? 'red' : 'yellow', level)} `;
  printWrapped(`${paint('dim', at)}  ${paint('cyan', place)}  ${mark}${harmless(message)}`, 26);
}
