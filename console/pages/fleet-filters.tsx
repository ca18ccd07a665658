/** What one chooses of the fleet: words, a state, a namespace, a provider, an order. */
import { useEffect, useRef, useState } from 'react';
import type { FleetCounts } from '#contracts/fleet.ts';
import { type FleetChoice, orders, shownStates, stateTitles } from '../model/fleet.ts';
import { Choice, TitledChoice } from '../parts/choice.tsx';

interface FiltersProps {
  readonly choice: FleetChoice;
  readonly counts: FleetCounts;
  readonly choose: (change: Partial<FleetChoice>) => void;
}

/** Each with how many there are of it; the addresses of filters are as the API has them. */
export function FleetFilters({ choice, counts, choose }: FiltersProps) {
  const on = choice.state.split(',');
  const any = shownStates.reduce((sum, state) => sum + counts.states[state], 0);
  return (
    <fieldset className="filters">
      <legend className="hidden">Filters</legend>
      <Search value={choice.search} choose={(search) => choose({ search })} />
      <Chip title="All" count={any} on={choice.state === ''} choose={() => choose({ state: '' })} />
      {shownStates.map((state) => (
        <Chip
          key={state}
          title={stateTitles[state]}
          count={counts.states[state]}
          on={on.includes(state)}
          choose={() => choose({ state: on.includes(state) ? '' : state })}
        />
      ))}
      <Choice
        title="Namespace"
        of={Object.keys(counts.namespaces)}
        value={choice.namespace}
        choose={(namespace) => choose({ namespace })}
      />
      <Choice
        title="Provider"
        of={Object.keys(counts.providers)}
        value={choice.provider}
        choose={(provider) => choose({ provider })}
      />
      <TitledChoice
        title="Order"
        of={orders}
        value={choice.sort || 'state'}
        choose={(sort) => choose({ sort: sort === 'state' ? '' : sort })}
      />
    </fieldset>
  );
}

/** What is written is shown at once, and filtered by when the writer pauses. */
function Search({ value, choose }: { readonly value: string; readonly choose: (text: string) => void }) {
  const [text, setText] = useState(value);
  const timer = useRef(0);
  const sent = useRef(value);
  /** With the other filters as they are when the writer pauses. */
  const latest = useRef(choose);
  useEffect(() => {
    latest.current = choose;
  });
  useEffect(() => () => window.clearTimeout(timer.current), []);
  useEffect(() => {
    if (value === sent.current) return;
    // Changed elsewhere, as by "Show all" or by going back.
    window.clearTimeout(timer.current);
    sent.current = value;
    setText(value);
  }, [value]);
  return (
    <input
      type="search"
      value={text}
      placeholder="Search names, providers, failures   /"
      aria-label="Search"
      onChange={(event) => {
        const { value: written } = event.target;
        setText(written);
        window.clearTimeout(timer.current);
        timer.current = window.setTimeout(() => {
          sent.current = written;
          latest.current(written);
        }, 120);
      }}
    />
  );
}

interface ChipProps {
  readonly title: string;
  readonly count: number;
  readonly on: boolean;
  readonly choose: () => void;
}

function Chip({ title, count, on, choose }: ChipProps) {
  return (
    <button type="button" className="chip" aria-pressed={on} onClick={choose} disabled={count === 0 && !on}>
      {title} <span className="count">{count}</span>
    </button>
  );
}
