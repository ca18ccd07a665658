/** Around each view of the settings: where one is, how old it is, and a search. */
import type { ReactNode } from 'react';
import { go, hrefOf } from '../routes.ts';
import { type QueryState, UpdatedAll } from './states.tsx';
import { ViewTabs } from './view-tabs.tsx';

const views = { providers: 'Providers', secrets: 'Secrets', templates: 'Templates', sources: 'Git sources' } as const;

interface SettingsFrameProps {
  readonly view: keyof typeof views;
  readonly chosen: Readonly<Record<string, string>>;
  /** All that the view shows. */
  readonly of: readonly QueryState[];
  readonly children: ReactNode;
}

export function SettingsFrame({ view, chosen, of, children }: SettingsFrameProps) {
  return (
    <>
      <div className="title">
        <h1>Settings</h1>
        <UpdatedAll of={of} />
      </div>
      <ViewTabs place={['settings']} views={views} current={view} />
      <div className="filters">
        <input
          type="search"
          aria-label={`Search ${views[view]}`}
          placeholder="Search   /"
          value={chosen.search ?? ''}
          onChange={({ target: { value } }) =>
            go(hrefOf(['settings', view], { ...chosen, search: value }), { replace: true })
          }
        />
      </div>
      {children}
    </>
  );
}
