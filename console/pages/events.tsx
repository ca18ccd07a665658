/** What happened to one manifest, as it happens. */
import type { ShownEvent } from '#contracts/api-bodies.ts';
import { commands } from '../model/commands.ts';
import type { TabProps } from '../model/tab.ts';
import { clock, isTime, spans } from '../model/times.ts';
import { CopyCommand } from '../parts/copy-command.tsx';
import { EventList } from '../parts/event-list.tsx';
import { Loading } from '../parts/states.tsx';
import { go, hrefOf } from '../routes.ts';

interface EventsTabProps extends Pick<TabProps, 'of' | 'chosen'> {
  /** Oldest first; undefined while they are asked for. */
  readonly events: readonly ShownEvent[] | undefined;
}

export default function EventsTab({ of, chosen, events }: EventsTabProps) {
  const place = ['manifests', of.namespace, of.name, 'events'];
  return (
    <>
      <div className="filters">
        <label>
          From{' '}
          <select
            value={chosen.from ?? ''}
            onChange={({ target: { value } }) =>
              go(hrefOf(place, { from: value, only: chosen.only }), { replace: true })
            }
          >
            <option value="">the start of the run on</option>
            {Object.entries(spans).map(([value, title]) => (
              <option key={value} value={value}>
                the last {title.replace(/^an? /, '')}
              </option>
            ))}
            {isTime(chosen.from) && <option value={chosen.from}>{clock(chosen.from, Date.now())} on</option>}
          </select>
        </label>
        <CopyCommand command={commands.events(of, chosen.from)} />
      </div>
      {events ? <EventList events={events} of={of} chosen={chosen.event} follow tall /> : <Loading what="events" />}
    </>
  );
}
