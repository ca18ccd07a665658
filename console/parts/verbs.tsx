/** What one can do with a manifest now: only what its state allows and the caller may do; each is also a command. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import { ask, askOnce, RequestRefused, type RouteName } from '../api.ts';
import { commands, type Name } from '../model/commands.ts';
import type { Summary } from '../model/fleet.ts';
import { may } from '../model/rights.ts';
import { useWhoAmI } from '../queries.ts';
import { ActionDialog } from './action-dialog.tsx';
import { Trouble } from './states.tsx';
import { statusWord } from './status.tsx';

interface Verb {
  readonly title: string;
  readonly route: Extract<RouteName, `POST /v1/manifests/{namespace}/{name}/${string}`>;
  readonly body?: unknown;
  readonly command: (key: Name) => string;
  /** What follows, for who is about to do it. */
  readonly says: string;
  readonly main?: true;
  fits(manifest: Subject): boolean;
}

/** A manifest as it is described, or as a list has it. */
type Subject = Pick<ManifestDescription | Summary, 'status' | 'paused' | 'deleting' | 'cancelling' | 'clusters'>;

const isWorking = ({ status }: Subject): boolean => status === 'Running' || status === 'Deleting';
const hasDrift = ({ clusters }: Subject): boolean =>
  clusters.some(({ drift }) => (typeof drift === 'number' ? drift : (drift?.items.length ?? 0)) > 0);

const verbs: readonly Verb[] = [
  {
    title: 'Retry',
    route: 'POST /v1/manifests/{namespace}/{name}/retry',
    command: commands.retry,
    main: true,
    says: 'A new attempt continues where the last one stopped. Stages that succeeded are not repeated.',
    fits: (manifest) => manifest.status === 'Failed' && !manifest.paused,
  },
  {
    title: 'Cancel',
    route: 'POST /v1/manifests/{namespace}/{name}/cancel',
    command: commands.cancel,
    says: 'The run stops as soon as it can. A grow is undone, anything else stops where it is; both are states that work.',
    fits: (manifest) =>
      !manifest.cancelling && (isWorking(manifest) || (manifest.status === 'Pending' && !manifest.paused)),
  },
  {
    title: 'Pause',
    route: 'POST /v1/manifests/{namespace}/{name}/pause',
    command: commands.pause,
    says: 'No new run starts. A run in progress stops after its waypoint.',
    fits: ({ paused, deleting, status }) => !paused && !deleting && status !== 'Unreadable',
  },
  {
    title: 'Resume',
    route: 'POST /v1/manifests/{namespace}/{name}/resume',
    command: commands.resume,
    main: true,
    says: 'What waits is started, and new changes from now on.',
    fits: ({ paused }) => paused,
  },
  {
    title: 'Check for drift',
    route: 'POST /v1/manifests/{namespace}/{name}/drift',
    command: commands.drift,
    says: 'What exists is compared with what should. Drift is reported, or repaired where the manifest says so.',
    fits: (manifest) => manifest.status === 'Done' && !manifest.paused,
  },
  {
    title: 'Repair drift',
    route: 'POST /v1/manifests/{namespace}/{name}/drift',
    command: commands.repair,
    body: { repair: true },
    main: true,
    says: 'What exists is compared again, and everything that can be repaired is repaired.',
    fits: (manifest) => manifest.status === 'Done' && !manifest.paused && hasDrift(manifest),
  },
];

interface VerbsProps {
  readonly of: Name;
  readonly manifest: Subject;
  /** Only what one would do first. */
  readonly brief?: boolean;
}

export function Verbs({ of, manifest, brief = false }: VerbsProps) {
  const me = useWhoAmI();
  const [asked, setAsked] = useState<Verb>();
  if (!may(me.data, 'operator', of.namespace)) return null;
  const fitting = verbs.filter((verb) => (verb.main || !brief) && verb.fits(manifest));
  // A dialog stays, with what it says, also when nothing fits any more.
  if (fitting.length === 0 && !asked) return null;
  return (
    <div className="verbs">
      {fitting.map((verb) => (
        <button key={verb.title} type="button" className={verb.main && 'main'} onClick={() => setAsked(verb)}>
          {verb.title}
        </button>
      ))}
      {asked && <Confirm of={of} verb={asked} closed={() => setAsked(undefined)} />}
    </div>
  );
}

/** Bound to the version that there was when it was opened: what someone else stored or started since is not met by it. */
function Confirm({ of, verb, closed }: { readonly of: Name; readonly verb: Verb; readonly closed: () => void }) {
  const version = useQuery({
    queryKey: ['version', of.namespace, of.name],
    queryFn: ({ signal }) => askOnce('GET /v1/manifests/{namespace}/{name}', { params: { ...of }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const found = version.data;
  const late = found !== undefined && !verb.fits(found.data);
  const send = async () => {
    const headers = { 'if-match': found?.headers.get('etag') ?? '' };
    const body = verb.body !== undefined && { body: verb.body };
    try {
      const request = { params: { ...of }, headers, ...body } as Parameters<typeof ask<typeof verb.route>>[1];
      return await ask(verb.route, request);
    } catch (error) {
      // Another version is stored now: a retry is about that one.
      if (error instanceof RequestRefused && error.problem.status === 412) void version.refetch();
      throw error;
    }
  };
  return (
    <ActionDialog
      title={verb.title}
      about={`${of.namespace}/${of.name}`}
      says={verb.says}
      command={verb.command(of)}
      send={send}
      closed={closed}
      ready={found !== undefined && !late}
      trouble={version.error && <Trouble error={version.error} what={`the version of ${of.name}`} />}
    >
      {late && (
        <p className="notice warn" role="alert">
          <span aria-hidden="true">!</span> It is {statusWord(found.data)} meanwhile: this does not fit any more.
        </p>
      )}
    </ActionDialog>
  );
}
