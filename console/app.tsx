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
import { ThemeSwitch } from './parts/theme.tsx';
import { useWhoAmI } from './queries.ts';
import { hrefOf, type Place, usePlace } from './routes.ts';
import { type Begun, wayIn } from './sign-in/way-in.ts';

const EventsPage = lazy(() => import('./pages/all-events.tsx'));
const AttentionPage = lazy(() => import('./pages/attention.tsx'));
const SettingsPage = lazy(() => import('./pages/settings.tsx'));
const AccessPage = lazy(() => import('./pages/access.tsx'));
const InventoryPage = lazy(() => import('./pages/inventory.tsx'));
const NewManifestPage = lazy(() => import('./pages/new-manifest.tsx'));

export function App({ begun }: { readonly begun: Begun }) {
  const place = usePlace();
  const me = useWhoAmI();
  const [helps, setHelps] = useState(false);
  useShortcuts(() => setHelps((shown) => !shown));
  usePlaceNamed(place.path, me.error instanceof SignedOut ? 'Sign in' : undefined);
  const name = me.data?.name;
  useEffect(() => {
    if (name !== undefined) ownDrafts(name);
  }, [name]);
  const [asks, setAsks] = useState(begun.kind === 'asks');
  const refusal = begun.kind === 'refused' ? begun.reason : undefined;
  if (me.error instanceof SignedOut)
    return <SignInPage refusal={refusal ?? me.error.message} ended={me.data !== undefined} />;
  if (asks && begun.kind === 'asks')
    return <SomeoneElse name={me.data?.name} replace={begun.replace} stay={() => setAsks(false)} />;
  const [first = ''] = place.path;
  return (
    <>
      <button type="button" className="skip" onClick={() => document.getElementById('content')?.focus()}>
        Skip to content
      </button>
      <header className="bar">
        <a className="mark" href={hrefOf([])}>
          <img src="/console/icon.svg" alt="" width="22" height="22" /> Kubeloom
        </a>
        <nav aria-label="Pages">
          <NavLink href={hrefOf([])} current={first === '' || first === 'manifests'}>
            Fleet
          </NavLink>
          <NavLink href={hrefOf(['attention'])} current={first === 'attention'}>
            Needs you
          </NavLink>
          <NavLink href={hrefOf(['events'])} current={first === 'events'}>
            Events
          </NavLink>
          <NavLink href={hrefOf(['new'])} current={first === 'new'}>
            Plan
          </NavLink>
          <NavLink href={hrefOf(['inventory'])} current={first === 'inventory'}>
            Inventory
          </NavLink>
          <NavLink href={hrefOf(['settings'])} current={first === 'settings'}>
            Settings
          </NavLink>
          <NavLink href={hrefOf(['access'])} current={first === 'access'}>
            Access
          </NavLink>
        </nav>
        <div className="bar-end">
          <ThemeSwitch />
          <button type="button" className="quiet" onClick={() => setHelps(true)}>
            Keys <kbd>?</kbd>
          </button>
          <span className="me">{me.data?.name ?? '…'}</span>
          <button type="button" className="quiet" onClick={() => void wayIn().signOut()}>
            Sign out
          </button>
        </div>
      </header>
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

function NavLink({
  href,
  current,
  children,
}: {
  readonly href: string;
  readonly current: boolean;
  readonly children: ReactNode;
}) {
  return (
    <a href={href} aria-current={current ? 'page' : undefined}>
      {children}
    </a>
  );
}
