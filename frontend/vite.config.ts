/** Builds the frontend into the Django package, so a wheel carries it; Django's template reads the manifest. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressed } from './tools/compressed.ts'

/** The pictures that the first page draws, by the names of their files: those of all other pages can come later. */
function firstPictures(): ReadonlySet<string> {
  const files = globSync('src/{{app,canvas,graph,ui}/**/*,runs/{start/RunForm,hooks}}.{ts,tsx}', {
    cwd: import.meta.dirname,
  })
  const names = files.flatMap((file) => {
    const source = readFileSync(`${import.meta.dirname}/${file}`, 'utf8')
    return [...source.matchAll(/import \{([^}]*)\} from 'lucide-react'/g)]
      .flatMap((found) => (found[1] ?? '').split(','))
      .map((name) => name.trim().split(' as ')[0] ?? '')
  })
  return new Set(names.map((name) => drawn(name.replace(/([a-z])([A-Z0-9])/g, '$1-$2').toLowerCase())))
}

/** The file that holds a picture: many have an older name, which only leads to the newer one. */
function drawn(name: string): string {
  const file = `${import.meta.dirname}/node_modules/lucide-react/dist/esm/icons/${name}.mjs`
  if (!existsSync(file)) return name
  return /default.*from '\.\/([\w-]+)\.mjs'/.exec(readFileSync(file, 'utf8'))?.[1] ?? name
}

const first = firstPictures()
const isPicture = (id: string) => /node_modules[\\/]lucide-react[\\/]/.test(id)
const isLater = (id: string) => {
  const name = /[\\/]icons[\\/]([\w-]+)\.\w+$/.exec(id)?.[1]
  return name !== undefined && !first.has(name)
}

export default defineConfig({
  base: '/static/app/',
  plugins: [react(), tailwindcss(), compressed()],
  resolve: {
    alias: {
      '@': fileURLToPath(new URL('./src', import.meta.url)),
      'd3-color': fileURLToPath(new URL('./src/canvas/no-colours.ts', import.meta.url)),
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
          groups: [
            // apart from the rest, since core and icons both need it before they need each other
            {
              name: 'react',
              test: /node_modules[\\/](react|react-dom|scheduler|use-sync-external-store)[\\/]/,
            },
            // what every page needs, in one file instead of thirty
            {
              name: 'core',
              test: /src[\\/](ui[\\/](?!display[\\/](code|diff)|floating[\\/]dialog|controls[\\/](field|password|tabs))|api[\\/](?!files|providers|usage|audit|download|spending)|live[\\/](?!run-view|run-feed|run-status|node-run|previews|fold)|i18n[\\/](index|types|en[\\/](app|canvas|common|editor-first|palette|runs-first)))|node_modules[\\/](wouter|@tanstack[\\/](query-core|react-query)|openapi-fetch|zustand)[\\/](?!.*[qQ]ueries)/,
            },
            // what only the editor and a run's page need
            {
              name: 'canvas',
              test: /src[\\/]canvas[\\/](?!overview[\\/]MiniMap|drag[\\/](drag|lift)|menus[\\/](FindBox|ConnectMenu|menu)|cards[\\/]CardRun)|node_modules[\\/](@xyflow|d3-\w+|classcat)[\\/]/,
            },
            { name: 'graph', test: /src[/]graph[/](?!.*(worker|validate|connectable|tidy|arrange|moving))/ },
            // pictures that several pages show
            { name: 'icons', test: (id) => isPicture(id) && !isLater(id), minShareCount: 2 },
            { name: 'more-icons', test: isPicture, minShareCount: 2 },
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
