/** Builds the frontend into the Django package, so a wheel carries it; Django's template reads the manifest. */
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressed } from './tools/compressed.ts'

export default defineConfig({
  base: '/static/app/',
  plugins: [react(), tailwindcss(), compressed()],
  resolve: {
    alias: {
      '@': fileURLToPath(new URL('./src', import.meta.url)),
    },
  },
  build: {
    outDir: '../backend/project/web/app',
    emptyOutDir: true,
    manifest: true,
    // Nothing inlined as data: the page's policy takes fonts from our own origin only.
    assetsInlineLimit: 0,
    target: 'es2023',
    rolldownOptions: {
      input: ['src/main.tsx', 'src/visitor/main.tsx'],
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          // By room, so that a page comes in few files; what only some pages show comes with them.
          groups: [
            {
              // with how code is fetched: also what strangers see begins with both
              name: 'react',
              test: /node_modules[\\/](react|react-dom|scheduler|use-sync-external-store)[\\/]|src[\\/]loading[\\/]/,
            },
            { name: 'canvas-library', test: /node_modules[\\/](@xyflow|d3-\w+|classcat)[\\/]/ },
            // Checked values are in forms, which open later; what most pages share is in the first load. Every file that is
            // loaded later counts as a page here: with more of them this number grows.
            { name: 'json-schema', test: /node_modules[\\/]@cfworker[\\/]/ },
            { name: 'virtual', test: /node_modules[\\/]@tanstack[\\/](react-)?virtual/ },
            { name: 'icons', test: /node_modules[\\/]lucide-react[\\/]/, minShareCount: 2 },
            {
              // a curl command is read when one is pasted, on the canvas or in the inspector
              name: 'editor',
              test: /src[\\/](canvas|graph(?![\\/]curl)|app[\\/]editor|runs[\\/]hooks)[\\/.]/,
              minShareCount: 2,
            },
            {
              name: 'shared',
              // an address is checked by the small page that strangers see too, which loads nothing of the product
              test: /src[\\/](ui[\\/](?!address)|api[\\/]|i18n[\\/])|src[\\/]live[\\/](page-socket|run-store|socket|run-status)|node_modules[\\/]/,
              minShareCount: 5,
            },
          ],
        },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    proxy: { '/api': 'http://127.0.0.1:8000', '/_allauth': 'http://127.0.0.1:8000' },
  },
})
