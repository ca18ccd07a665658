/** What manifests refer to: provider instances with checks of their credentials, Secrets by name, templates, git sources. */

import { may } from '../model/rights.ts';
import { namespacesOf } from '../model/stored-names.ts';
import { Trouble, Updated } from '../parts/states.tsx';
import { ViewTabs } from '../parts/view-tabs.tsx';
import { useFleet, useWhoAmI } from '../queries.ts';
import { go, hrefOf } from '../routes.ts';
import { useInstances, useSecrets } from '../settings-queries.ts';
import { ProvidersView } from './settings/providers.tsx';
import { SecretsView } from './settings/secrets.tsx';
import { SourcesView } from './settings/sources.tsx';
import { TemplatesView } from './settings/templates.tsx';
import '../styles/settings.css';

const views = { providers: 'Providers', secrets: 'Secrets', templates: 'Templates', sources: 'Git sources' } as const;

interface SettingsPageProps {
  readonly view: string;
  readonly chosen: Readonly<Record<string, string>>;
}

export default function SettingsPage({ view: wanted, chosen }: SettingsPageProps) {
  const view = wanted in views ? wanted : 'providers';
  const me = useWhoAmI();
  const fleet = useFleet();
  const instances = useInstances();
  const secrets = useSecrets();
  const search = chosen.search ?? '';
  const namespaces = namespacesOf(fleet.data ?? [], secrets.data ?? []).filter((one) => may(me.data, 'viewer', one));
  const choose = (text: string): void => go(hrefOf(['settings', view], { ...chosen, search: text }), { replace: true });
  const error = instances.error ?? secrets.error;
  return (
    <>
      <div className="title">
        <h1>Settings</h1>
        <Updated at={Math.min(instances.dataUpdatedAt, secrets.dataUpdatedAt)} error={error} />
      </div>
      <ViewTabs place={['settings']} views={views} current={view} />
      {error && <Trouble error={error} what="the settings" />}
      <div className="filters">
        <input
          type="search"
          aria-label={`Search ${views[view as keyof typeof views]}`}
          placeholder="Search   /"
          value={search}
          onChange={(event) => choose(event.target.value)}
        />
      </div>
      {view === 'providers' && <ProvidersView instances={instances.data} search={search} chosen={chosen} />}
      {view === 'secrets' && <SecretsView secrets={secrets.data} instances={instances.data} search={search} />}
      {view === 'templates' && (
        <TemplatesView namespaces={namespaces} instances={instances.data ?? []} search={search} />
      )}
      {view === 'sources' && <SourcesView search={search} />}
    </>
  );
}
