import { fireEvent, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { FakeServer, show } from '@/testing/server'
import { Content } from './Content'
import { ErrorFacts } from './ErrorFacts'
import { ShapeChoice, ValueView } from './ValueView'

const PNG = 'iVBORw0KGgo='
const HOSTILE = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'

beforeEach(() => {
  vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: () => 'blob:here', revokeObjectURL: () => {} }))
})

describe('an answer', () => {
  it('shows SVG as a picture and never as markup', () => {
    const { container } = show(
      <Content content={[{ type: 'image', mimeType: 'image/svg+xml', data: btoa(HOSTILE) }]} />,
    )
    expect(screen.getByRole('img', { name: 'Image image.svg' }).getAttribute('src')).toBe(
      `data:image/svg+xml;base64,${btoa(HOSTILE)}`,
    )
    expect(container.querySelector('script')).toBeNull()
  })

  it('shows text beside structured content, but not the same twice', () => {
    show(<Content content={[{ type: 'text', text: 'In words' }]} structured={{ n: 1 }} />)
    expect(screen.getByText('In words')).toBeTruthy()
    expect(within(screen.getByRole('region', { name: 'Structured content' })).getByText('n')).toBeTruthy()
    expect(screen.queryByText('also sent as text')).toBeNull()
  })

  it('says where text was left out since it says the same', () => {
    show(<Content content={[{ type: 'text', text: '{"n": 1}' }]} structured={{ n: 1 }} />)
    expect(screen.getByText('also sent as text')).toBeTruthy()
    expect(screen.queryByText('{"n": 1}')).toBeNull()
  })

  it('follows links to the web only', () => {
    show(
      <Content
        content={[
          { type: 'resource_link', uri: 'https://a.example/r', name: 'report', description: 'All figures' },
          { type: 'resource_link', uri: 'javascript:alert(1)', name: 'harmless' },
        ]}
      />,
    )
    const links = screen.getAllByRole('link')
    expect(links.map((link) => [link.textContent, link.getAttribute('rel')])).toEqual([
      ['report', 'noopener noreferrer nofollow'],
    ])
    expect(screen.getByText('All figures')).toBeTruthy()
    expect(screen.getByText('harmless').tagName).toBe('STRONG')
  })

  it('keeps a block of an unknown kind', () => {
    show(<Content content={[{ type: 'chart', title: 'Sales' }]} />)
    expect(screen.getByText('Unknown content type: chart')).toBeTruthy()
    expect(screen.getByText('"Sales"')).toBeTruthy()
  })

  it('is fetched and shown alike where it is stored elsewhere', async () => {
    const server = new FakeServer().on('GET /api/files/blob_1', {
      body: [{ type: 'image', mimeType: 'image/png', data: PNG }],
    })
    show(<Content content={{ $ref: 'blob_1', size: 300_000, preview: '[{"type":"image","data":"iVBO' }} />)
    expect(await screen.findByRole('img', { name: 'Image image.png' })).toBeTruthy()
    expect(server.to('GET /api/files/blob_1')).toHaveLength(1)
  })

  it('waits to be asked for where it is huge', async () => {
    const server = new FakeServer().on('GET /api/files/blob_2', { body: [{ type: 'text', text: 'whole' }] })
    show(<Content content={{ $ref: 'blob_2', size: 40_000_000, preview: '[{' }} />)
    expect(server.to('GET /api/files/blob_2')).toHaveLength(0)
    await userEvent.setup().click(screen.getByRole('button', { name: /Load all/ }))
    expect(await screen.findByText('whole')).toBeTruthy()
  })
})

describe('what can be done with an answer', () => {
  const image = (data = PNG) => ({ type: 'image', mimeType: 'image/png', data })
  /** The names under which files were handed to the browser. */
  function saved(): readonly string[] {
    const names: string[] = []
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      names.push(this.download)
    })
    return names
  }

  it('a picture is shown larger and smaller', async () => {
    show(<Content content={[image()]} />)
    await userEvent.click(screen.getByRole('button', { name: 'Show larger' }))
    await userEvent.click(screen.getByRole('button', { name: 'Show smaller' }))
    expect(screen.getByRole('button', { name: 'Show larger' })).toBeTruthy()
  })

  it('a picture says its size once it is drawn', async () => {
    show(<Content content={[image()]} />)
    const picture = await screen.findByRole('img')
    vi.spyOn(HTMLImageElement.prototype, 'naturalWidth', 'get').mockReturnValue(640)
    vi.spyOn(HTMLImageElement.prototype, 'naturalHeight', 'get').mockReturnValue(480)
    fireEvent.load(picture)
    expect(screen.getByText(/640 × 480/)).toBeTruthy()
  })

  it('a picture that cannot be drawn is a file', async () => {
    show(<Content content={[image()]} />)
    fireEvent.error(await screen.findByRole('img'))
    expect(screen.queryByRole('img')).toBeNull()
    expect(screen.getByText('Browsers cannot show this image.')).toBeTruthy()
  })

  it('sound that cannot be played is a file', () => {
    const { container } = show(<Content content={[{ type: 'audio', mimeType: 'audio/wav', data: PNG }]} />)
    fireEvent.error(container.querySelector('audio') as HTMLElement)
    expect(container.querySelector('audio')).toBeNull()
    expect(screen.getByText('This browser cannot play this file.')).toBeTruthy()
  })

  it('bytes and texts are downloaded under their names', async () => {
    const names = saved()
    const text = { uri: 'file:///notes.md', mimeType: 'text/markdown', text: 'Notes' }
    show(<Content content={[image(), { type: 'resource', resource: text }]} />)
    for (const button of screen.getAllByRole('button', { name: /^Download/ })) await userEvent.click(button)
    expect(names).toEqual(['image.png', 'notes.md'])
  })

  it('a long text shows its rest on demand', async () => {
    show(<Content content={[{ type: 'text', text: `${'word '.repeat(12_000)}the end` }]} />)
    expect(screen.queryByText(/the end/)).toBeNull()
    await userEvent.click(screen.getByRole('button', { name: /^Show all 60,007 characters/ }))
    expect(screen.getByText(/the end/)).toBeTruthy()
  })
})

describe('a value', () => {
  it('shows a picture that a member of it holds, also where that is stored elsewhere', async () => {
    new FakeServer().on('GET /api/files/blob_3', {
      body: { before: 1, shot: { type: 'image', mimeType: 'image/png', data: PNG } },
    })
    show(<ValueView value={{ $ref: 'blob_3', size: 20_000, preview: '{' }} shape="tree" label="Output" />)
    expect(await screen.findByRole('img', { name: 'Image image.png' })).toBeTruthy()
    expect(screen.getByText('before')).toBeTruthy()
  })

  it('shows the outputs of a tool node as its answer', () => {
    const value = {
      result: '',
      content: [{ type: 'image', mimeType: 'image/png', data: PNG }],
      structured: null,
    }
    show(<ValueView value={value} shape="tree" label="Output" />)
    expect(screen.getByRole('img', { name: 'Image image.png' })).toBeTruthy()
  })
})

describe('the choice of how a value is shown', () => {
  it('is a person’s', async () => {
    const chosen: string[] = []
    show(<ShapeChoice value="tree" onChange={(shape) => chosen.push(shape)} />)
    await userEvent.click(screen.getByRole('radio', { name: 'JSON' }))
    expect(chosen).toEqual(['json'])
  })
})

describe('an error', () => {
  it('shows all it carries', () => {
    show(
      <ErrorFacts
        error={{
          message: 'The server failed.',
          detail: {
            http_status: 503,
            headers: { 'retry-after': '7' },
            data: { table: 'orders' },
            raw: 'down',
          },
        }}
      />,
    )
    expect(screen.getByText('HTTP 503')).toBeTruthy()
    expect(screen.getByText('retry-after')).toBeTruthy()
    expect(screen.getByText('"orders"')).toBeTruthy()
    expect(screen.getByText('down')).toBeTruthy()
  })
})
