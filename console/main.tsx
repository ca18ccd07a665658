/** Starts the console: signs in if the address brought a code, then shows the place that the address names. */
import { focusManager, MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ask, RequestRefused, SignedOut } from './api.ts';
import { App } from './app.tsx';
import { takeOverDrafts } from './drafts.ts';
import { Loading } from './parts/states.tsx';
import { untilItWorks } from './queries.ts';
import { chosenWayIn } from './sign-in/choose.ts';
import { setWayIn } from './sign-in/way-in.ts';

/** Only what is seen is kept current: a tab in the background asks for nothing. */
focusManager.setEventListener((changed) => {
  const listen = () => changed(document.visibilityState === 'visible');
  document.addEventListener('visibilitychange', listen);
  return () => document.removeEventListener('visibilitychange', listen);
});

/** Any request may learn that the session has ended. The pages depend on who is signed in, so `whoami` is requested again. */
const onError = (error: unknown): void => {
  if (error instanceof SignedOut && !(client.getQueryState(['whoami'])?.error instanceof SignedOut))
    void client.invalidateQueries({ queryKey: ['whoami'] });
};
const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 500,
      // This machine answers also where there is no network.
      networkMode: 'always',
      refetchIntervalInBackground: false,
      refetchInterval: untilItWorks,
      retry: (failed, error) => !(error instanceof SignedOut || error instanceof RequestRefused) && failed < 1,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

const place = document.getElementById('console');
const root = place && createRoot(place);
// The answer to how a user signs in may take a while.
root?.render(<Loading what="how you are signed in" />);
const way = await chosenWayIn();
setWayIn(way);
const start = await way.begin();
await takeOverDrafts(async () => (await ask('GET /v1/whoami', {})).name);
root?.render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <App start={start} />
    </QueryClientProvider>
  </StrictMode>,
);
