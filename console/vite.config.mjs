/** How the console is built: files whose names change with their content, nothing inline, nothing from elsewhere. */
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/console/',
  define: { 'process.env.NODE_ENV': '"production"' },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Packages mark what runs on servers or in browsers; here all of it does in browsers.
    rollupOptions: {
      onwarn: (warning, warn) => (warning.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : warn(warning)),
    },
  },
});
