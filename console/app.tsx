/** The frame of every page: where one is, where one can go, who one is. */
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { SignedOut } from './api.ts';
import { ownDrafts } from './drafts.ts';
import { FleetPage } from './pages/fleet.tsx';
import { ManifestViews } from './pages/manifest.tsx';
import { SignInPage } from './pages/sign-in.tsx';
import { SomeoneElse } from './pages/someone-else.tsx';
import { Announcer, usePlaceNamed } from './parts/announce.tsx';
import { Boundary } from './parts/boundary.tsx';
import { Help, useShortcuts } from './parts/shortcuts.tsx';
import { Empty, Loading, Trouble } from './parts/states.tsx';
import { TopBar } from './parts/top-bar.tsx';
import { useWhoAmI } from './queries.ts';
import { hrefOf, type Place, usePlace } from './routes.ts';
import type { SignInStart } from './sign-in/way-in.ts';

const EventsPage = lazy(() => import('./pages/all-events.tsx'));
const AttentionPage = lazy(() => import('./pages/attention.tsx'));
const SettingsPage = lazy(() => import('./pages/settings.tsx'));
const AccessPage = lazy(() => import('./pages/access.tsx'));
const InventoryPage = lazy(() => import('./pages/inventory.tsx'));
const NewManifestPage = lazy(() => import('./pages/new-manifest.tsx'));

export function App({ start }: { readonly start: SignInStart }) {
  const place = usePlace();
  const me = useWhoAmI();
  const [helps, setHelps] = useState(false);
  useShortcuts(() => setHelps((shown) => !shown));
  usePlaceNamed(place.path, me.error instanceof SignedOut ? 'Sign in' : undefined);
  const name = me.data?.name;
  useEffect(() => {
    if (name !== undefined) ownDrafts(name);
  }, [name]);
  const [asks, setAsks] = useState(start.kind === 'asks');
  const refusal = start.kind === 'refused' ? start.reason : undefined;
  if (me.error instanceof SignedOut)
    return <SignInPage refusal={refusal ?? me.error.message} ended={me.data !== undefined} />;
  if (asks && start.kind === 'asks')
    return <SomeoneElse name={me.data?.name} replace={start.replace} stay={() => setAsks(false)} />;
  return (
    <>
      <button type="button" className="skip" onClick={() => document.getElementById('content')?.focus()}>
        Skip to content
      </button>
      <TopBar path={place.path} help={() => setHelps(true)} />
      <main id="content" tabIndex={-1}>
        {refusal !== undefined && me.data && (
          <p className="notice" role="status">
            You stay signed in as you were: {refusal}
          </p>
        )}
        <Boundary place={place.path.join('/')}>
          <Suspense fallback={<Loading what="the page" />}>
            {me.error && !me.data ? <Trouble error={me.error} what="who you are" /> : pageOf(place)}
          </Suspense>
        </Boundary>
      </main>
      <Announcer />
      <Help open={helps} close={() => setHelps(false)} />
    </>
  );
}

function pageOf({ path, chosen }: Place): ReactNode {
  const [first = '', namespace, name, tab] = path;
  if (first === '') return <FleetPage chosen={chosen} />;
  if (first === 'attention') return <AttentionPage />;
  if (first === 'events') return <EventsPage chosen={chosen} />;
  if (first === 'new') return <NewManifestPage />;
  if (first === 'settings') return <SettingsPage view={namespace ?? ''} chosen={chosen} />;
  if (first === 'access') return <AccessPage view={namespace ?? ''} chosen={chosen} />;
  if (first === 'inventory') return <InventoryPage namespace={namespace} view={name ?? ''} chosen={chosen} />;
  if (first === 'manifests' && namespace !== undefined && name !== undefined)
    return <ManifestViews key={`${namespace}/${name}`} of={{ namespace, name }} tab={tab ?? 'run'} chosen={chosen} />;
  return (
    <Empty page title="There is no such page">
      <a href={hrefOf([])}>Back to the fleet</a>
    </Empty>
  );
}
