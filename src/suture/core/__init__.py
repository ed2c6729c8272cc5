"""Values that everybody uses: patches, texts, dialects, problems. Nothing here imports another folder of ours."""
