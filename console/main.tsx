/** Starts the console: signs in if the address brought a code, then shows the place that the address names. */
import { focusManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ProblemAnswer, SignedOut } from './api.ts';
import { App } from './app.tsx';
import { signIn, takeCode } from './session.ts';

/** Only what is seen is kept current: a tab in the background asks for nothing. */
focusManager.setEventListener((changed) => {
  const listen = () => changed(document.visibilityState === 'visible');
  document.addEventListener('visibilitychange', listen);
  return () => document.removeEventListener('visibilitychange', listen);
});

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 500,
      // This machine answers also where there is no network.
      networkMode: 'always',
      refetchIntervalInBackground: false,
      retry: (failed, error) => !(error instanceof SignedOut || error instanceof ProblemAnswer) && failed < 1,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

const code = takeCode();
const refusal = code === undefined ? undefined : await signIn(code).then(() => undefined, sentenceOf);
const place = document.getElementById('console');
if (place) {
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <App refusal={refusal} />
      </QueryClientProvider>
    </StrictMode>,
  );
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
