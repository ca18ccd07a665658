/** Generations: who changed what, when and why. */
import { useQuery } from '@tanstack/react-query';
import { ask } from '../api.ts';
import { commands } from '../model/commands.ts';
import type { TabProps } from '../model/tab.ts';
import { ago } from '../model/times.ts';
import { CopyCommand } from '../parts/copy-command.tsx';
import { Loading, Trouble, useNow } from '../parts/states.tsx';

export default function HistoryTab({ of, manifest }: TabProps) {
  const now = useNow();
  const list = useQuery({
    queryKey: ['generations', of.namespace, of.name, manifest.generation],
    queryFn: ({ signal }) => ask('GET /v1/manifests/{namespace}/{name}/generations', { params: { ...of }, signal }),
  });
  if (!list.data)
    return list.error ? <Trouble error={list.error} what="the history" /> : <Loading what="the history" />;
  return (
    <>
      <p>
        <CopyCommand command={commands.history(of)} />
      </p>
      <ol className="plain generations">
        {list.data.items.map(({ generation, current, at, by, reason, changes, rolledBackTo }) => (
          <li key={generation}>
            <p className="card-title">
              <strong>generation {generation}</strong>
              {current && <span className="tag">current</span>}
              {rolledBackTo !== undefined && <span className="tag">rolled back to {rolledBackTo}</span>}
              <span className="dim">
                {reason} {by !== undefined && `by ${by}`} {at !== undefined && ago(at, now)}
              </span>
            </p>
            {generation === 1 ? null : changes === null ? (
              <p className="dim">what it changed is not kept</p>
            ) : (
              <ul>
                {changes.map((change) => (
                  <li key={change}>{change}</li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}
