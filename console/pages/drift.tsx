/** What the last check found that is not as it was created. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../api.ts';
import { commands } from '../model/commands.ts';
import { countOf } from '../model/count-of.ts';
import { may } from '../model/rights.ts';
import type { TabProps } from '../model/tab.ts';
import { timeAgo } from '../model/times.ts';
import { CertificateLine } from '../parts/certificate-line.tsx';
import { CopyCommand } from '../parts/copy-command.tsx';
import { LogView } from '../parts/log-view.tsx';
import { Empty, Loading, Trouble, useNow } from '../parts/states.tsx';
import { Sign } from '../parts/status.tsx';
import type { LogPlace } from '../parts/use-log.ts';
import { useWhoAmI } from '../queries.ts';
import { hrefOf } from '../routes.ts';

export default function DriftTab({ of, manifest }: TabProps) {
  const now = useNow(10);
  const me = useWhoAmI();
  const command = may(me.data, 'operator', of.namespace) ? commands.drift(of) : commands.describe(of);
  const checked = manifest.clusters.filter(({ drift }) => drift !== null);
  const others = manifest.clusters.filter(({ drift }) => drift === null);
  if (checked.length === 0)
    return (
      <Empty title="There was no check for drift yet">
        <CopyCommand command={command} />
      </Empty>
    );
  return (
    <>
      <p>
        <CopyCommand command={command} />
      </p>
      {others.map(({ name }) => (
        <p key={name}>
          <strong>{name}</strong> <Sign tone="calm" word="not checked yet" />
        </p>
      ))}
      {checked.map(({ name, drift, certificates }) => (
        <section key={name} aria-labelledby={`drift-${name}`}>
          <h2 id={`drift-${name}`} className="cluster-title">
            {name}{' '}
            {drift?.items.length === 0 ? (
              <Sign
                tone={drift.unchecked.length === 0 ? 'good' : 'warn'}
                word={drift.unchecked.length === 0 ? 'no drift' : 'no drift in what could be compared'}
              />
            ) : (
              <Sign tone="warn" word={countOf(drift?.items.length ?? 0, 'difference')} />
            )}
            {drift && <span className="dim">checked {timeAgo(drift.checkedAt, now)}</span>}
          </h2>
          <CertificateLine certificates={certificates} />
          {drift && drift.unchecked.length > 0 && (
            <p className="notice warn">
              <span aria-hidden="true">!</span> Not compared: {drift.unchecked.join('; ')}
            </p>
          )}
          {drift && drift.items.length > 0 && (
            <ul className="plain">
              {drift.items.map(({ kind, message, repairable, where }) => (
                <li key={`${kind} ${JSON.stringify(where)} ${message}`}>
                  <span className="tag">{kind}</span> {message}{' '}
                  {where.node !== undefined && (
                    <a
                      href={hrefOf(['manifests', of.namespace, of.name, 'nodes'], {
                        node: where.node,
                        search: where.node,
                      })}
                    >
                      node {where.node}
                    </a>
                  )}{' '}
                  <span className="dim">{repairable ? 'can be repaired' : 'cannot be repaired automatically'}</span>
                </li>
              ))}
            </ul>
          )}
          {drift && <CheckLog at={{ ...of, run: drift.runId, cluster: name }} />}
        </section>
      ))}
    </>
  );
}

interface CheckLogProps {
  readonly at: Pick<LogPlace, 'namespace' | 'name' | 'run' | 'cluster'>;
}

/** Details of the check that found it; they are requested when someone opens them. */
function CheckLog({ at }: CheckLogProps) {
  const [open, setOpen] = useState(false);
  const { namespace, name, run, cluster } = at;
  const logs = useQuery({
    queryKey: ['logs', namespace, name, run],
    queryFn: ({ signal }) =>
      ask('GET /v1/manifests/{namespace}/{name}/runs/{run}/logs', { params: { namespace, name, run }, signal }),
    enabled: open,
  });
  const log = logs.data?.items.findLast((one) => one.stage === 'drift' && one.cluster === cluster);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Log of this check</summary>
      {open && (
        <>
          <p>
            <CopyCommand command={commands.log(run, namespace, 'drift', cluster)} />
          </p>
          {logs.error && <Trouble error={logs.error} what="the logs of this check" />}
          {logs.isPending && <Loading what="the log" />}
          {logs.data && !log && <p className="dim">No log of it is kept.</p>}
          {log && (
            <LogView
              at={{ ...at, waypoint: log.waypoint, stage: log.stage, undo: log.mode === 'undo', attempt: log.attempt }}
              active={false}
            />
          )}
        </>
      )}
    </details>
  );
}
