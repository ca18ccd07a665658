/** What one can do with a manifest now: only what its state allows and the caller may do; each is also a command. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import { ask, type Route } from '../api.ts';
import { commands, type Name } from '../model/commands.ts';
import { may } from '../model/rights.ts';
import { useWhoAmI } from '../queries.ts';
import { CopyCommand } from './copy-command.tsx';
import { Trouble } from './states.tsx';

interface Verb {
  readonly title: string;
  readonly route: Extract<Route, `POST /v1/manifests/{namespace}/{name}/${string}`>;
  readonly body?: unknown;
  readonly command: (key: Name) => string;
  /** What follows, for who is about to do it. */
  readonly says: string;
  readonly main?: true;
  fits(manifest: ManifestDescription): boolean;
}

const isWorking = ({ status }: ManifestDescription): boolean => status === 'Running' || status === 'Deleting';
const hasDrift = ({ clusters }: ManifestDescription): boolean =>
  clusters.some(({ drift }) => (drift?.items.length ?? 0) > 0);

const verbs: readonly Verb[] = [
  {
    ...{ title: 'Retry', route: 'POST /v1/manifests/{namespace}/{name}/retry', command: commands.retry, main: true },
    says: 'A new attempt goes on where the last one stopped. Stages that succeeded are not repeated.',
    fits: (manifest) => manifest.status === 'Failed' && !manifest.paused,
  },
  {
    ...{ title: 'Cancel', route: 'POST /v1/manifests/{namespace}/{name}/cancel', command: commands.cancel },
    says: 'The run stops as soon as it can. A grow is undone, anything else stops where it is; both are states that work.',
    fits: isWorking,
  },
  {
    ...{ title: 'Pause', route: 'POST /v1/manifests/{namespace}/{name}/pause', command: commands.pause },
    says: 'No new run starts. A run under way stops after its waypoint.',
    fits: ({ paused, deleting }) => !paused && !deleting,
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

export function Verbs({ of, manifest }: { readonly of: Name; readonly manifest: ManifestDescription }) {
  const me = useWhoAmI();
  const [asked, setAsked] = useState<Verb>();
  if (!may(me.data, 'operator', of.namespace)) return null;
  const fitting = verbs.filter((verb) => verb.fits(manifest));
  if (fitting.length === 0) return null;
  return (
    <div className="verbs">
      {fitting.map((verb) => (
        <button key={verb.title} type="button" className={verb.main && 'main'} onClick={() => setAsked(verb)}>
          {verb.title}
        </button>
      ))}
      {asked && <Confirm of={of} verb={asked} close={() => setAsked(undefined)} />}
    </div>
  );
}

function Confirm({ of, verb, close }: { readonly of: Name; readonly verb: Verb; readonly close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const client = useQueryClient();
  useEffect(() => dialog.current?.showModal(), []);
  const work = useMutation({
    mutationFn: () =>
      ask(verb.route, { params: { ...of }, ...(verb.body !== undefined && { body: verb.body }) } as Parameters<
        typeof ask<typeof verb.route>
      >[1]),
    onSuccess: async () => {
      close();
      await client.invalidateQueries();
    },
  });
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="verb-title">
      <h2 id="verb-title">
        {verb.title}: {of.namespace}/{of.name}
      </h2>
      <p>{verb.says}</p>
      <p className="dim">The same in a terminal:</p>
      <CopyCommand command={verb.command(of)} />
      {work.error && <Trouble error={work.error} what={verb.title} />}
      <div className="choices">
        <button type="button" className="main" disabled={work.isPending} onClick={() => work.mutate()}>
          {work.isPending ? 'Asking …' : verb.title}
        </button>
        <button type="button" onClick={close}>
          Not now
        </button>
      </div>
    </dialog>
  );
}
