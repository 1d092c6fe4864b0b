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
      input: 'src/main.tsx',
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          // By room, so that a page comes in few files; what only some pages show comes with them.
          groups: [
            {
              name: 'react',
              test: /node_modules[\\/](react|react-dom|scheduler|use-sync-external-store)[\\/]/,
            },
            { name: 'canvas-library', test: /node_modules[\\/](@xyflow|d3-\w+|classcat)[\\/]/ },
            // Checked values are in forms, which open later; everything else that many share is in the first load.
            { name: 'json-schema', test: /node_modules[\\/]@cfworker[\\/]/ },
            { name: 'icons', test: /node_modules[\\/]lucide-react[\\/]/, minShareCount: 3 },
            { name: 'editor', test: /src[\\/](canvas|graph|app[\\/]editor)[\\/]/, minShareCount: 2 },
            { name: 'shared', test: /src[\\/](ui|api|i18n|live)[\\/]|node_modules[\\/]/, minShareCount: 6 },
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
