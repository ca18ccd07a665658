/** What one can do with a manifest now: only what its state allows and the caller may do; each is also a command. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import { ask, askOnce, RequestRefused, type RouteName } from '../api.ts';
import { commands, type Name } from '../model/commands.ts';
import type { Summary } from '../model/fleet.ts';
import { may } from '../model/rights.ts';
import { useWhoAmI } from '../queries.ts';
import { announce } from './announce.tsx';
import { CopyCommand } from './copy-command.tsx';
import { NotAccepted, Trouble } from './states.tsx';
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
    ...{ title: 'Retry', route: 'POST /v1/manifests/{namespace}/{name}/retry', command: commands.retry, main: true },
    says: 'A new attempt goes on where the last one stopped. Stages that succeeded are not repeated.',
    fits: (manifest) => manifest.status === 'Failed' && !manifest.paused,
  },
  {
    ...{ title: 'Cancel', route: 'POST /v1/manifests/{namespace}/{name}/cancel', command: commands.cancel },
    says: 'The run stops as soon as it can. A grow is undone, anything else stops where it is; both are states that work.',
    fits: (manifest) =>
      !manifest.cancelling && (isWorking(manifest) || (manifest.status === 'Pending' && !manifest.paused)),
  },
  {
    ...{ title: 'Pause', route: 'POST /v1/manifests/{namespace}/{name}/pause', command: commands.pause },
    says: 'No new run starts. A run under way stops after its waypoint.',
    fits: ({ paused, deleting, status }) => !paused && !deleting && status !== 'Unreadable',
  },
  {
    ...{ title: 'Resume', route: 'POST /v1/manifests/{namespace}/{name}/resume', command: commands.resume, main: true },
    says: 'What waits is started, and new changes from now on.',
    fits: ({ paused }) => paused,
  },
  {
    ...{ title: 'Check for drift', route: 'POST /v1/manifests/{namespace}/{name}/drift', command: commands.drift },
    says: 'What exists is compared with what should. Drift is reported, or repaired where the manifest says so.',
    fits: (manifest) => manifest.status === 'Done' && !manifest.paused,
  },
  {
    ...{ title: 'Repair drift', route: 'POST /v1/manifests/{namespace}/{name}/drift', command: commands.repair },
    ...{ body: { repair: true }, main: true },
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
  const dialog = useRef<HTMLDialogElement>(null);
  const client = useQueryClient();
  useEffect(() => dialog.current?.showModal(), []);
  const close = (): void => dialog.current?.close();
  const version = useQuery({
    queryKey: ['version', of.namespace, of.name],
    queryFn: ({ signal }) => askOnce('GET /v1/manifests/{namespace}/{name}', { params: { ...of }, signal }),
    ...{ staleTime: Number.POSITIVE_INFINITY, gcTime: 0, refetchOnWindowFocus: false },
  });
  const found = version.data;
  const late = found !== undefined && !verb.fits(found.data);
  const work = useMutation({
    mutationFn: () => {
      const headers = { 'if-match': found?.headers.get('etag') ?? '' };
      const body = verb.body !== undefined && { body: verb.body };
      return ask(verb.route, { params: { ...of }, headers, ...body } as Parameters<typeof ask<typeof verb.route>>[1]);
    },
    onSuccess: async () => {
      close();
      // The button that opened it goes when its work is done.
      document.getElementById('content')?.focus();
      announce(`${verb.title}: accepted`);
      await client.invalidateQueries();
    },
    // Another version is stored now: whoever asks again means that one.
    onError: (error) => {
      if (error instanceof RequestRefused && error.problem.status === 412) void version.refetch();
    },
  });
  return (
    <dialog ref={dialog} onClose={closed} aria-labelledby="verb-title">
      <h2 id="verb-title">
        {verb.title}: {of.namespace}/{of.name}
      </h2>
      <p>{verb.says}</p>
      {late && (
        <p className="notice warn" role="alert">
          <span aria-hidden="true">!</span> It is {statusWord(found.data)} meanwhile: this does not fit any more.
        </p>
      )}
      <p className="dim">The same in a terminal:</p>
      <CopyCommand command={verb.command(of)} />
      {work.error ? (
        <NotAccepted error={work.error} what={verb.title} />
      ) : (
        version.error && <Trouble error={version.error} what={`the version of ${of.name}`} />
      )}
      <div className="choices">
        <button
          type="button"
          className="main"
          disabled={work.isPending || !found || late}
          onClick={() => work.mutate()}
        >
          {work.isPending ? 'Asking …' : verb.title}
        </button>
        <button type="button" onClick={close}>
          Not now
        </button>
      </div>
    </dialog>
  );
}
