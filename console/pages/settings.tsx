/** What manifests refer to: provider instances with checks of their credentials, Secrets by name, templates, git sources. */
import { ProvidersView } from './settings/providers.tsx';
import { SecretsView } from './settings/secrets.tsx';
import { SourcesView } from './settings/sources.tsx';
import { TemplatesView } from './settings/templates.tsx';
import '../styles/settings.css';

interface SettingsPageProps {
  readonly view: string;
  readonly chosen: Readonly<Record<string, string>>;
}

export default function SettingsPage({ view, chosen }: SettingsPageProps) {
  if (view === 'secrets') return <SecretsView chosen={chosen} />;
  if (view === 'templates') return <TemplatesView chosen={chosen} />;
  if (view === 'sources') return <SourcesView chosen={chosen} />;
  return <ProvidersView chosen={chosen} />;
}
