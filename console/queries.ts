/** What pages ask the API for, and how often: each second while something happens, each ten seconds else, never in a tab that no one sees. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ManifestPage } from '#contracts/api-bodies.ts';
import { type AnswerTo, ask, askOnce, RequestRefused, SignedOut } from './api.ts';
import type { FleetChoice, Summary } from './model/fleet.ts';
import { type FollowedManifest, liveManifest } from './model/live-manifest.ts';
import { calmFor, failureCounter, fleetMs, quickMs, waitMs } from './model/pace.ts';
import { askUnlessChanged } from './unless-changed.ts';

const failuresOf = failureCounter();
interface Asked<Data> {
  readonly state: {
    readonly data: Data | undefined;
    readonly error: unknown;
    readonly dataUpdateCount: number;
    readonly errorUpdateCount: number;
  };
}
/** For `refetchInterval`: so many ms after an answer, longer without an answer. */
export const paced =
  <Data>(wait: (data: Data | undefined) => number) =>
  (query: Asked<Data>): number =>
    waitMs(wait(query.state.data), failuresOf(query));
/** Only what was not answered is asked for again; a refusal is an answer. Queries do so that say nothing else. */
export const untilItWorks = (query: Asked<unknown>): number | false => {
  const { error } = query.state;
  const isAnswer = error instanceof SignedOut || (error instanceof RequestRefused && error.problem.status < 500);
  return error && !isAnswer ? waitMs(calmFor(1), failuresOf(query)) : false;
};

export function useWhoAmI() {
  return useQuery({
    queryKey: ['whoami'],
    queryFn: ({ signal }) => ask('GET /v1/whoami', { signal }),
    staleTime: 60_000,
    retry: (failed, error) => !(error instanceof SignedOut) && failed < 2,
  });
}

/** Rows of what is chosen, those that need a person first, with counts of all. */
export function useFleet({ sort, ...choice }: FleetChoice, rows: number, requests = 1) {
  const chosen = Object.fromEntries(Object.entries(choice).filter(([, value]) => value !== ''));
  const query = { ...chosen, sort: sort || 'state', counts: 'true', limit: rows };
  return useQuery({
    queryKey: ['fleet', query],
    queryFn: ({ signal }) => askUnlessChanged('GET /v1/manifests', { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: paced(({ counts }: Partial<ManifestPage> = {}) =>
      Math.max(fleetMs(counts?.all ?? 0, (counts?.states.running ?? 0) > 0), requests > 1 ? calmFor(requests) : 0),
    ),
  });
}

const isInProgress = ({ status, paused }: Pick<Summary, 'status' | 'paused'>): boolean =>
  !paused && (status === 'Running' || status === 'Pending' || status === 'Deleting');

interface Key {
  readonly namespace: string;
  readonly name: string;
}

/** The manifest and its events since `since`; `requests`: how many the page makes each time, this one among them. */
export function useLive({ namespace, name }: Key, since: string | undefined, requests = 1) {
  const read = useMemo(
    () =>
      liveManifest(async (from, tag, have) => {
        const params = { namespace, name };
        const found = await askOnce('GET /v1/manifests/{namespace}/{name}/live', {
          params,
          query: { since: from, ...(have.length > 0 && { have: have.join(',') }) },
          ...(tag !== undefined && { headers: { 'if-none-match': tag } }),
        });
        return found && { answer: found.data, tag: found.headers.get('etag') ?? undefined };
      }, since ?? ''),
    [namespace, name, since],
  );
  return useQuery<FollowedManifest>({
    queryKey: ['live', namespace, name, since],
    queryFn: read,
    enabled: since !== undefined,
    placeholderData: keepPreviousData,
    // What did not change is the same object already.
    structuralSharing: false,
    refetchInterval: paced((known: FollowedManifest | undefined) =>
      known === undefined || isInProgress(known.manifest) ? quickMs : calmFor(requests),
    ),
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

/** Newest first, with who stored each; requested again for each new generation. */
export function useGenerations({ namespace, name }: Key, newest: number) {
  return useQuery({
    queryKey: ['generations', namespace, name, newest],
    queryFn: ({ signal }) =>
      ask('GET /v1/manifests/{namespace}/{name}/generations', { params: { namespace, name }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
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
    // The plan of another run would give its waypoints to this one.
    placeholderData: (plan, query) => (query?.queryKey[3] === run ? plan : undefined),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** One that is not among the newest; `run` is undefined where none has to be asked for. */
export function useOldRun({ namespace, name }: Key, run: string | undefined) {
  return useQuery({
    queryKey: ['run', namespace, name, run],
    queryFn: ({ signal }) =>
      ask('GET /v1/manifests/{namespace}/{name}/runs/{run}', { params: { namespace, name, run: run ?? '' }, signal }),
    enabled: run !== undefined,
  });
}

/** Plans that wait for an approval, and the results of others, newest first. */
export function useProposedPlans({ namespace, name }: Key) {
  return useQuery({
    queryKey: ['plans', namespace, name],
    queryFn: ({ signal }) =>
      askUnlessChanged('GET /v1/manifests/{namespace}/{name}/plans', { params: { namespace, name }, signal }),
    refetchInterval: paced<unknown>(() => calmFor(requestsOfPlanTab)),
  });
}

/** Plans of all manifests and inventories that the user may see; `requests` as above. */
export function useWaitingPlans(requests: number) {
  return useQuery({
    queryKey: ['plans'],
    queryFn: ({ signal }) => askUnlessChanged('GET /v1/plans', { signal }),
    refetchInterval: paced<unknown>(() => calmFor(requests)),
  });
}

/** The manifest, and plans that wait. */
export const requestsOfPlanTab = 2;

export type RunRow = AnswerTo<'GET /v1/manifests/{namespace}/{name}/runs'>['items'][number];
