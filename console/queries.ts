/** What pages ask the API for, and how often: each second while something happens, each ten seconds else, never in a tab that no one sees. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type AnswerTo, ask, askOnce, failuresInARow, SignedOut } from './api.ts';
import type { Summary } from './model/fleet.ts';
import { type Followed, liveManifest } from './model/live-manifest.ts';

/** When it is the turn of the next request; those that fail wait longer each time, no two viewers at once. */
const afterFailures = (ms: number): number => {
  const failures = failuresInARow();
  return failures === 0 ? ms : Math.min(30_000, 1000 * 2 ** failures) * (0.75 + Math.random() / 2);
};

const quickMs = 1000;
const calmMs = 10_000;

export function useWhoAmI() {
  return useQuery({
    queryKey: ['whoami'],
    queryFn: ({ signal }) => ask('GET /v1/whoami', { signal }),
    staleTime: 60_000,
    retry: (failed, error) => !(error instanceof SignedOut) && failed < 2,
  });
}

export function useFleet() {
  return useQuery({
    queryKey: ['fleet'],
    queryFn: ({ signal }) => allManifests(signal),
    refetchInterval: ({ state }) => afterFailures((state.data ?? []).some(isUnderWay) ? 2 * quickMs : calmMs),
  });
}

async function allManifests(signal: AbortSignal): Promise<readonly Summary[]> {
  const items: Summary[] = [];
  for (let next: string | undefined; ; ) {
    const query = { limit: 200, ...(next !== undefined && { next }) };
    const page = await ask('GET /v1/manifests', { query, signal });
    items.push(...page.items);
    next = page.next;
    if (next === undefined) return items;
  }
}

const isUnderWay = ({ status, paused }: Pick<Summary, 'status' | 'paused'>): boolean =>
  !paused && (status === 'Running' || status === 'Pending' || status === 'Deleting');

interface Key {
  readonly namespace: string;
  readonly name: string;
}

/** The manifest and its events since `since`, which is the start of the run that is shown. */
export function useLive({ namespace, name }: Key, since: string | undefined) {
  const read = useMemo(
    () =>
      liveManifest(async (from, tag) => {
        const params = { namespace, name };
        const found = await askOnce('GET /v1/manifests/{namespace}/{name}/live', {
          params,
          query: { since: from },
          ...(tag !== undefined && { headers: { 'if-none-match': tag } }),
        });
        return found && { answer: found.data, tag: found.headers.get('etag') ?? undefined };
      }, since ?? ''),
    [namespace, name, since],
  );
  return useQuery<Followed>({
    queryKey: ['live', namespace, name, since],
    queryFn: read,
    enabled: since !== undefined,
    placeholderData: keepPreviousData,
    // What did not change is the same object already.
    structuralSharing: false,
    refetchInterval: ({ state }) =>
      afterFailures(state.data === undefined || isUnderWay(state.data.manifest) ? quickMs : calmMs),
  });
}

/** Newest first; the first page. */
export function useRuns({ namespace, name }: Key, newest: string | undefined) {
  return useQuery({
    queryKey: ['runs', namespace, name, newest],
    queryFn: ({ signal }) =>
      ask('GET /v1/manifests/{namespace}/{name}/runs', { params: { namespace, name }, query: { limit: 50 }, signal }),
    placeholderData: keepPreviousData,
  });
}

/** `starts`: how many waypoints were started so far; the plan changes with each. */
export function useRunPlan({ namespace, name }: Key, run: string | undefined, starts: number) {
  return useQuery({
    queryKey: ['run-plan', namespace, name, run, starts],
    queryFn: ({ signal }) =>
      ask('GET /v1/manifests/{namespace}/{name}/runs/{run}/plan', {
        params: { namespace, name, run: run ?? '' },
        signal,
      }),
    enabled: run !== undefined,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export type RunRow = AnswerTo<'GET /v1/manifests/{namespace}/{name}/runs'>['items'][number];
