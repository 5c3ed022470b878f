//go:build web && unix

package browser

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/chromedp/chromedp"
)

// tallest is the height of a screenshot at most, in pixels.
const tallest = 1500

// picture keeps a screenshot of the whole page, where these are wanted.
func (w *tab) picture(name string) {
	w.Helper()
	if *pictures == "" {
		return
	}
	w.size(1000, 720)
	js[chromedp.Void](w, "scrollTo(0, 0)")
	w.wait(`document.querySelectorAll(".toast").length === 0`)
	w.size(1000, min(js[int64](w, "document.documentElement.scrollHeight"), tallest))
	data, err := chromedp.Run(w.ctx, chromedp.CaptureScreenshot())
	w.must(err)
	small, err := fewColors(data)
	w.must(err)
	w.must(os.WriteFile(filepath.Join(*pictures, name+".png"), small, 0o644))
	w.size(1200, 900)
}

// fewColors is a PNG with the 64 most frequent of its colors, a third of its size.
func fewColors(data []byte) ([]byte, error) {
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	b, counts := img.Bounds(), map[color.RGBA]int{}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			counts[color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)]++
		}
	}
	list := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	var palette color.Palette
	for _, c := range list[:min(len(list), 64)] {
		palette = append(palette, c)
	}
	out := image.NewPaletted(b, palette)
	draw.Draw(out, b, img, b.Min, draw.Src)
	var to bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&to, out)
	return to.Bytes(), err
}
